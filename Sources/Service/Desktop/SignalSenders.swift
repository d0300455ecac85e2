import BelfryBus

/// Which signals are believed (S6): those of a service from the connection that owns its name, and the bus's own from
/// the bus.
///
/// Match rules do not decide that, since a bus delivers what is addressed to a connection whatever rules it has.
final class SignalSenders {
    /// The services whose signals are listened to, by the names that they own.
    enum Service: String, CaseIterable {
        case notifications = "org.freedesktop.Notifications"
        case feedback = "org.sigxcpu.Feedback"
        case xfconf = "org.xfce.Xfconf"
        case dconf = "ca.desrt.dconf"
    }

    /// The bus's name, also as a sender.
    static let busName = "org.freedesktop.DBus"
    /// The interface of changes of properties, whose first argument is the interface that these belong to.
    static let properties = "org.freedesktop.DBus.Properties"
    /// Whose interfaces are listened to.
    static let services: [String: Service] = [
        "org.freedesktop.Notifications": .notifications, "org.dunstproject.cmd0": .notifications,
        "org.sigxcpu.Feedback": .feedback, "org.xfce.Xfconf": .xfconf, "ca.desrt.dconf.Writer": .dconf,
    ]

    /// The unique names of those that have an owner.
    private var owners: [Service: String] = [:]

    /// Asks on `bus`, before anything else is asked there, who owns each name: what a service then says of itself, when
    /// it is asked, is newer than any signal that was not believed meanwhile.
    func connected(to bus: SessionBus) {
        owners = [:]
        for service in Service.allCases {
            let rule = "type='signal',sender='\(Self.busName)',member='NameOwnerChanged',arg0='\(service.rawValue)'"
            bus.callBus("AddMatch", [.string(rule)])
            bus.callBus("GetNameOwner", [.string(service.rawValue)]) { [weak self] answer in
                // The bus answers and signals in order; a failure means that there is none.
                self?.owners[service] = (try? answer.get())?.first?.text
            }
        }
    }

    /// Whether `message` is to be taken: each call is, and a signal from who may send it.
    func believes(_ message: BusMessage) -> Bool {
        guard message.kind == .signal else { return true }
        if message.interface == Self.busName {
            guard message.sender == Self.busName else { return false }
            noteOwner(message)
            return true
        }
        let isOfProperties = message.interface == Self.properties
        let interface = isOfProperties ? message.arguments.first?.text ?? "" : message.interface
        guard let service = Self.services[interface], let owner = owners[service] else { return false }
        return message.sender == owner
    }

    private func noteOwner(_ message: BusMessage) {
        let values = message.arguments
        guard message.member == "NameOwnerChanged", values.count == 3, let new = values[2].text,
            let service = values[0].text.flatMap(Service.init(rawValue:))
        else { return }
        owners[service] = new.isEmpty ? nil : new
    }
}
