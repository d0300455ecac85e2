import BelfryBus
import BelfrySyscalls
import Showing

/// The desktop's do-not-disturb, in each of the ways in which desktops have one.
final class DoNotDisturb {
    /// Who said so.
    enum Source: String, CaseIterable {
        /// dunst, which is paused, or Plasma, which is inhibited.
        case server
        /// GNOME's setting, and Phosh's.
        case gnome
        /// Xfce's setting.
        case xfce
        /// The feedback profile of a phone.
        case feedback
    }

    private static let properties = "org.freedesktop.DBus.Properties"
    private static let server = NotificationServer.name
    private static let serverPath = "/org/freedesktop/Notifications"
    /// Where servers say it: the interface, and the property that is true then.
    private static let ofServers = [("org.dunstproject.cmd0", "paused"), (server, "Inhibited")]
    private static let feedback = ("org.sigxcpu.Feedback", "/org/sigxcpu/Feedback", "Profile")
    private static let xfce = ("org.xfce.Xfconf", "/org/xfce/Xfconf", "xfce4-notifyd", "/do-not-disturb")
    /// Who signals changes of GNOME's settings.
    private static let dconf = ("ca.desrt.dconf.Writer", "/ca/desrt/dconf/Writer/user")
    /// The setting that is false while do-not-disturb is on.
    private static let showBanners = "/org/gnome/desktop/notifications/show-banners"
    /// The vendors of the servers that obey it, and of the one that obeys Xfce's.
    private static let (ofGNOME, ofXfce): (Set<String>, String) = (["GNOME", "Phosh"], "Xfce")

    private let dconfPath: String?
    private let changed: () -> Void
    /// How many questions wait for an answer.
    private var asked = 0
    private var saying: [Source: DoNotDisturbLevel] = [:]
    private var owner: String?
    /// Whether the server is one that obeys GNOME's setting, and one that does not obey Xfce's.
    private var (isGNOME, isNotXfce) = (false, false)
    private weak var bus: SessionBus?

    /// Called when all questions are answered.
    var onSettled: () -> Void = {}

    /// Whether all questions are answered.
    var isSettled: Bool { asked == 0 }

    /// How much is not wanted.
    var level: DoNotDisturbLevel { Source.allCases.map(level).max() ?? .none }

    /// Whether the server takes what is no call that rings and does not show it: GNOME and Phosh list it all the same,
    /// and a feedback profile is about sound alone.
    var hides: Bool { [Source.server, .xfce].contains { level($0) > .none } }

    /// What `source` says, if it is heeded: Xfce's setting stays when another server takes its place.
    private func level(_ source: Source) -> DoNotDisturbLevel {
        source == .xfce && isNotXfce ? .none : saying[source] ?? .none
    }

    /// - Parameters:
    ///   - dconfPath: the file of GNOME's settings; nil if it is not known where that is.
    ///   - changed: called when ``level`` or ``hides`` is another.
    init(dconfPath: String?, changed: @escaping () -> Void) {
        self.dconfPath = dconfPath
        self.changed = changed
    }

    /// Asks on `bus` for what does not depend on the server.
    func connected(to bus: SessionBus) {
        self.bus = bus
        for rule in [
            "type='signal',path='\(Self.serverPath)',interface='\(Self.properties)',member='PropertiesChanged'",
            "type='signal',path='\(Self.feedback.1)',interface='\(Self.properties)',member='PropertiesChanged'",
            "type='signal',path='\(Self.xfce.1)',interface='\(Self.xfce.0)'",
            "type='signal',path='\(Self.dconf.1)',interface='\(Self.dconf.0)',member='Notify'",
        ] { bus.callBus("AddMatch", [.string(rule)]) }
        askFeedback()
        askXfce()
    }

    private func askFeedback() {
        get(Self.feedback.0, Self.feedback.1, Self.feedback.0, Self.feedback.2) { [weak self] in
            self?.heard($0.text.map(Self.level(ofProfile:)), from: .feedback)
        }
    }

    private func askXfce() {
        ask(Self.xfce.0, Self.xfce.1, Self.xfce.0, "GetProperty", [.string(Self.xfce.2), .string(Self.xfce.3)]) {
            [weak self] in self?.heard($0.flag.map(Self.level(ofFlag:)), from: .xfce)
        }
    }

    /// The bus is lost: what was said on it counts no longer.
    func lost() {
        owner = nil
        for source in Source.allCases { heard(DoNotDisturbLevel.none, from: source) }
    }

    /// The notification server is the connection `owner`; nil if there is none.
    func serverIs(_ owner: String?) {
        let before = (level, hides)
        self.owner = owner
        (isGNOME, isNotXfce) = (false, false)
        if (level, hides) != before { changed() }
        // Both are the old server's; feedbackd and Xfce have names of their own.
        heard(DoNotDisturbLevel.none, from: .server)
        heard(DoNotDisturbLevel.none, from: .gnome)
        guard let owner else { return }
        for (interface, property) in Self.ofServers {
            get(owner, Self.serverPath, interface, property) { [weak self] value in
                // Only true counts: a server has one of both properties, and an answer about the other undoes nothing.
                if self?.owner == owner, value.flag == true { self?.heard(.muted, from: .server) }
            }
        }
        askAll(owner, Self.serverPath, Self.server, "GetServerInformation", []) { [weak self] values in
            guard let self, self.owner == owner, values.count > 1 else { return }
            let before = (level, hides)
            isGNOME = values[1].text.map(Self.ofGNOME.contains) ?? false
            isNotXfce = values[1].text != Self.ofXfce
            if (level, hides) != before { changed() }
            readGNOME()
        }
    }

    /// Takes a signal that is believed; true if it was about this.
    func take(_ message: BusMessage) -> Bool {
        guard message.kind == .signal else { return false }
        let values = message.arguments
        switch (message.interface, message.member) {
        case (Self.properties, "PropertiesChanged"):
            guard values.count > 1, let interface = values[0].text else { return false }
            if interface == Self.feedback.0 {
                heard(values[1][Self.feedback.2]?.text.map(Self.level(ofProfile:)), from: .feedback)
            } else if message.sender == owner {
                for (name, property) in Self.ofServers where name == interface {
                    heard(values[1][property]?.flag.map(Self.level(ofFlag:)), from: .server)
                }
            }
            return true
        case (Self.xfce.0, let member):
            guard values.count > 1, values[0].text == Self.xfce.2, values[1].text == Self.xfce.3 else { return true }
            if member == "PropertyRemoved" { heard(DoNotDisturbLevel.none, from: .xfce) }
            if member == "PropertyChanged", values.count > 2 {
                heard(values[2].unwrapped.flag.map(Self.level(ofFlag:)), from: .xfce)
            }
            return true
        case (Self.dconf.0, "Notify"):
            readGNOME()
            return true
        case ("org.freedesktop.DBus", "NameOwnerChanged"): return nameChanged(values)
        default: return false
        }
    }

    /// A service that has a new owner is asked again.
    private func nameChanged(_ values: [BusValue]) -> Bool {
        guard values.count == 3, let new = values[2].text else { return false }
        switch values[0].text {
        case Self.feedback.0: if new.isEmpty { heard(DoNotDisturbLevel.none, from: .feedback) } else { askFeedback() }
        case Self.xfce.0: if new.isEmpty { heard(DoNotDisturbLevel.none, from: .xfce) } else { askXfce() }
        default: return false
        }
        return true
    }

    private func readGNOME() {
        guard isGNOME, let dconfPath else { return }
        // Without the file no setting was ever changed, and banners are shown by default.
        let file = try? readFile(at: dconfPath, bytesMax: DconfFile.bytesMax)
        let showsBanners = file.flatMap { DconfFile.flag(Self.showBanners, in: $0.bytes) } ?? true
        heard(Self.level(ofFlag: !showsBanners), from: .gnome)
    }

    private static func level(ofFlag isOn: Bool) -> DoNotDisturbLevel { isOn ? .muted : .none }

    /// That of feedbackd's profile: `quiet` is what is felt and not heard.
    private static func level(ofProfile profile: String) -> DoNotDisturbLevel {
        switch profile {
        case "full": .none
        case "quiet": .unheard
        default: .muted
        }
    }

    private func get(
        _ name: String, _ path: String, _ interface: String, _ property: String, _ got: @escaping (BusValue) -> Void
    ) {
        ask(name, path, Self.properties, "Get", [.string(interface), .string(property)], got)
    }

    private func ask(
        _ name: String, _ path: String, _ interface: String, _ member: String, _ values: [BusValue],
        _ got: @escaping (BusValue) -> Void
    ) {
        askAll(name, path, interface, member, values) { if let value = $0.first?.unwrapped { got(value) } }
    }

    private func askAll(
        _ name: String, _ path: String, _ interface: String, _ member: String, _ values: [BusValue],
        _ got: @escaping ([BusValue]) -> Void
    ) {
        guard let bus else { return }
        asked += 1
        bus.call(name, path, interface, member, values) { [weak self] answer in
            // An error is the answer of a service without this property, or without an owner: it mutes nothing.
            if let values = try? answer.get() { got(values) }
            guard let self else { return }
            asked -= 1
            if asked == 0 { onSettled() }
        }
    }

    private func heard(_ level: DoNotDisturbLevel?, from source: Source) {
        guard let level else { return }
        let before = (self.level, hides)
        saying[source] = level
        if (self.level, hides) != before { changed() }
    }
}
