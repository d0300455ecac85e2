import BelfryBus
import BelfryEventLoop
import BelfryTerms
import Support
import Testing

@testable import Desktop

@Suite("S6 who is believed on the bus") struct SignalSendersTests {
    /// A signal that is listened to, and whose it is.
    struct Signal: Sendable, CustomStringConvertible {
        let service: SignalSenders.Service?
        let path: String
        let interface: String
        let member: String
        let values: [BusValue]

        var description: String { "\(interface).\(member) of \(service?.rawValue ?? "the bus")" }

        static func properties(_ service: SignalSenders.Service, _ path: String, _ interface: String) -> Signal {
            Signal(
                service: service, path: path, interface: SignalSenders.properties, member: "PropertiesChanged",
                values: [.string(interface), .properties([("Profile", .string("silent"))]), .strings([])])
        }
    }

    static let notifications = "/org/freedesktop/Notifications"
    /// Every signal that anything in the desktop takes.
    static let signals: [Signal] = [
        Signal(
            service: .notifications, path: notifications, interface: "org.freedesktop.Notifications",
            member: "ActionInvoked", values: [.uint32(1), .string("call.accept")]),
        Signal(
            service: .notifications, path: notifications, interface: "org.freedesktop.Notifications",
            member: "NotificationClosed", values: [.uint32(1), .uint32(2)]),
        .properties(.notifications, notifications, "org.freedesktop.Notifications"),
        .properties(.notifications, notifications, "org.dunstproject.cmd0"),
        .properties(.feedback, "/org/sigxcpu/Feedback", "org.sigxcpu.Feedback"),
        Signal(
            service: .feedback, path: "/org/sigxcpu/Feedback", interface: "org.sigxcpu.Feedback",
            member: "FeedbackEnded", values: [.uint32(1), .uint32(2)]),
        Signal(
            service: .xfconf, path: "/org/xfce/Xfconf", interface: "org.xfce.Xfconf", member: "PropertyChanged",
            values: [.string("xfce4-notifyd"), .string("/do-not-disturb"), .variant(.bool(true))]),
        Signal(
            service: .xfconf, path: "/org/xfce/Xfconf", interface: "org.xfce.Xfconf", member: "PropertyRemoved",
            values: [.string("xfce4-notifyd"), .string("/do-not-disturb")]),
        Signal(
            service: .dconf, path: "/ca/desrt/dconf/Writer/user", interface: "ca.desrt.dconf.Writer", member: "Notify",
            values: [.string("/"), .strings([]), .string("")]),
        Signal(
            service: nil, path: "/org/freedesktop/DBus", interface: SignalSenders.busName, member: "NameOwnerChanged",
            values: [.string("org.freedesktop.Notifications"), .string(""), .string(":1.1")]),
        Signal(
            service: nil, path: "/org/freedesktop/DBus", interface: SignalSenders.busName, member: "NameLost",
            values: [.string("org.belfry.Calls1")]),
    ]

    @Test("the owner of a service's name is, and another connection is not, whatever it sends", arguments: signals)
    func senders(signal: Signal) async {
        let index = SignalSendersTests.signals.firstIndex { $0.description == signal.description } ?? 0
        await #expect(processExitsWith: .success) { [index = index as Int] in
            let signal = SignalSendersTests.signals[index]
            let bus = try PlayedBus()
            let (owner, stranger) = (try SessionBus(on: bus.loop), try SessionBus(on: bus.loop))
            let desktop = BusConnection(on: bus.loop)
            var taken: [String] = []
            desktop.onMessage = {
                // Not the bus's own about other names.
                guard $0.member == signal.member, $0.arguments.first == signal.values.first else { return true }
                taken.append($0.sender)
                return true
            }
            desktop.connect()
            desktop.bus?.callBus("AddMatch", [.string("type='signal',path='\(signal.path)'")])
            func settle(_ connection: SessionBus?) {
                connection?.callBus("GetId", []) { _ in bus.loop.stop() }
                bus.run()
            }
            settle(desktop.bus)
            // Each service begins after the desktop: its owner is known by the bus's own signal.
            if let name = signal.service?.rawValue {
                owner.callBus("RequestName", [.string(name), .uint32(0)])
                settle(owner)
                settle(desktop.bus)
            }
            taken = []
            for connection in [stranger, owner] {
                connection.emit(signal.path, signal.interface, signal.member, signal.values)
                settle(connection)
                settle(desktop.bus)
            }
            #expect(taken.count == (signal.service == nil ? 0 : 1), "\(signal): \(taken)")
            // Who has given the name up is a stranger.
            if let name = signal.service?.rawValue {
                owner.callBus("ReleaseName", [.string(name)])
                owner.emit(signal.path, signal.interface, signal.member, signal.values)
                settle(owner)
                settle(desktop.bus)
                #expect(taken.count == 1, "\(signal): \(taken)")
            }
            withExtendedLifetime((owner, stranger, desktop)) {}
        }
    }

    @Test("who had the name before the desktop came is believed") func earlierOwner() async {
        await #expect(processExitsWith: .success) {
            let bus = try PlayedBus()
            let owner = try SessionBus(on: bus.loop)
            owner.callBus("RequestName", [.string("org.xfce.Xfconf"), .uint32(0)]) { _ in bus.loop.stop() }
            bus.run()
            let desktop = BusConnection(on: bus.loop)
            var taken = 0
            desktop.onMessage = {
                if $0.member == "PropertyChanged" { taken += 1 }; return true
            }
            desktop.connect()
            desktop.bus?.callBus("AddMatch", [.string("type='signal',path='/org/xfce/Xfconf'")]) { _ in
                bus.loop.stop()
            }
            bus.run()
            owner.emit("/org/xfce/Xfconf", "org.xfce.Xfconf", "PropertyChanged", [.string("a"), .string("b")])
            owner.callBus("GetId", []) { _ in bus.loop.stop() }
            bus.run()
            desktop.bus?.callBus("GetId", []) { _ in bus.loop.stop() }
            bus.run()
            #expect(taken == 1)
            withExtendedLifetime((owner, desktop)) {}
        }
    }
}
