import BelfryAppGroup
import BelfryBus
import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import DesktopChannel
import Glibc
import RingEar
import Showing
import Support
import Testing

@testable import Desktop

/// `org.belfry.Calls1` about calls that go on, as a program on a bus has it, each test in a process of its own.
@Suite("C16 calls that go on, on the session bus") struct OngoingInterfaceTests {
    /// A desktop without a notification server, who says a call to it, and a program that asks.
    private final class World {
        static let error = "org.belfry.Error"
        let bus: PlayedBus
        let peer: WorkerEnd
        let client: SessionBus
        private(set) var finished = false
        private(set) var signals: [BusMessage] = []
        private var service: DesktopService?
        private var hears = false

        init(_ call: OngoingCall? = WorkerEnd.call) throws {
            bus = try PlayedBus()
            peer = try WorkerEnd(call)
            client = try SessionBus(on: bus.loop)
            let settings = DesktopSettings(
                words: NoticeWords(locale: "C"), group: WorkerEnd.group, secondCall: .soft, answersWait: .seconds(30),
                notifies: false, hasDisplay: false)
            client.onMessage = { [unowned self] message in
                guard message.member == "CallChanged" else { return false }
                signals.append(message)
                if hears { bus.loop.stop() }
                return true
            }
            // Before the desktop begins, which says at once what goes on.
            client.callBus("AddMatch", [.string("type='signal',path='\(CallsInterface.path)'")]) { [bus] _ in
                bus.loop.stop()
            }
            bus.run()
            service = try DesktopService(
                on: bus.loop, listener: peer.listener, state: StateDirectory(path: "\(peer.folder.path)/state"),
                runtime: RuntimeDirectory(path: "\(peer.folder.path)/run"), settings: { settings },
                finished: { [unowned self] in finished = true })
            service?.begin()
            // Its name may take a while.
            while case .failure = ask("List", .string("")) {}
        }

        /// What a call of `member` comes to: what it gives, or the error's name.
        func ask(_ member: String, _ values: BusValue...) -> Result<[BusValue], BusFailure> {
            var result = Result<[BusValue], BusFailure>.success([])
            client.call(CallsInterface.name, CallsInterface.path, CallsInterface.name, member, values) { [bus] in
                result = $0
                bus.loop.stop()
            }
            bus.run()
            return result
        }

        /// The name of the error that it comes to; "" for none.
        func error(_ member: String, _ values: BusValue...) -> String {
            var name = ""
            client.call(CallsInterface.name, CallsInterface.path, CallsInterface.name, member, values) { [bus] in
                if case .failure(let failure) = $0 { name = failure.name }
                bus.loop.stop()
            }
            bus.run()
            return name
        }

        /// The next signal about calls that go on.
        func nextSignal() -> BusMessage {
            hears = true
            if signals.isEmpty { bus.run() }
            hears = false
            return signals.removeFirst()
        }

        /// What the list has.
        func list(_ group: String = "") -> [BusValue] {
            guard case .success(let values) = ask("List", .string(group)), case .array(_, let calls)? = values.first
            else { return [] }
            return calls
        }

        /// Lets the desktop go on for `time`.
        func rest(_ time: TimeSpan) {
            _ = bus.loop.schedule(at: bus.loop.now + time, description: "test") { [bus] in bus.loop.stop() }
            bus.run()
        }

        /// All properties.
        func properties() -> BusValue {
            var found = BusValue.other
            client.call(
                CallsInterface.name, CallsInterface.path, SignalSenders.properties, "GetAll",
                [.string(CallsInterface.name)]
            ) { [bus] answer in
                if case .success(let values) = answer, let value = values.first { found = value }
                bus.loop.stop()
            }
            bus.run()
            return found
        }

        /// What it was to have done.
        var chosen: [CallCommand] {
            peer.reports().compactMap { if case .chosen(let command) = $0 { command } else { nil } }
        }
    }

    @Test("the list has it with all that is known; another group's list has not") func list() async {
        await #expect(processExitsWith: .success) {
            var call = WorkerEnd.call
            (call.appName, call.handle, call.hasVideo, call.isOutgoing) = ("Phone", "+49", true, true)
            (call.group, call.since, call.isMuted) = (7, Instant(microseconds: 1_000), true)
            let world = try World(call)
            let listed = world.list()
            let entry = try #require(listed.first)
            let expected: [(String, BusValue)] = [
                ("call", .string("A")), ("uuid", .string("6F9619FF")), ("app", .string("org.belfry.phone")),
                ("appName", .string("Phone")), ("name", .string("Ada")), ("handle", .string("+49")),
                ("video", .bool(true)), ("outgoing", .bool(true)), ("state", .string("active")),
                ("muted", .bool(true)), ("holdable", .bool(true)), ("since", .uint64(1_000)), ("group", .int64(7)),
            ]
            #expect(listed == [.properties(expected)], "\(entry)")
            #expect(world.nextSignal().arguments.first == .string("group.a"))
            var hello = DesktopHello(group: try #require(GroupName("group.b")))
            hello.ongoing = OngoingCall(call: "B", uuid: "B", app: "b")
            let other = try world.peer.another()
            ScriptedWorker.write(hello.line, to: other.number)
            #expect(world.nextSignal().arguments.first == .string("group.b"))
            #expect(world.list() == listed && world.list("group.b").map { $0["call"] } == [.string("B")])
            #expect(world.error("End", .string("group.b"), .string("A")) == "\(World.error).NoSuchCall")
            // A peer may say any number, and no text is a format.
            (call.since, call.group, call.name) = (Instant(microseconds: .min), nil, "%n\u{202e}\u{0}")
            world.peer.say(call)
            _ = world.nextSignal()
            let changed = try #require(world.list().first)
            #expect(changed["since"] == .uint64(0) && changed["group"] == nil)
        }
    }

    @Test("each change is a signal, and so is the end, also of a connection that just ends") func signals() async {
        await #expect(processExitsWith: .success) {
            let world = try World()
            let first = world.nextSignal()
            #expect(first.arguments.first == .string("group.a") && first.arguments.count == 2)
            #expect(first.arguments[1]["call"] == .string("A") && first.arguments[1]["state"] == .string("active"))
            var call = WorkerEnd.call
            world.peer.say(call)
            (call.state, call.isMuted) = (.held, true)
            world.peer.say(call)
            let held = world.nextSignal().arguments[1]
            #expect(held["state"] == .string("held") && held["muted"] == .bool(true), "what has not changed is none")
            var other = OngoingCall(call: "B", uuid: "B", app: "b")
            other.state = .connecting
            world.peer.say(other)
            let ended = world.nextSignal().arguments[1]
            #expect(ended["call"] == .string("A") && ended["state"] == .string("ended"))
            #expect(world.nextSignal().arguments[1]["state"] == .string("connecting"))
            world.peer.leave()
            let gone = world.nextSignal().arguments[1]
            #expect(gone["call"] == .string("B") && gone["state"] == .string("ended"))
            #expect(world.list() == [])
        }
    }

    @Test("methods have their commands go to who has the call, by its key, its UUID or \"\"") func commands() async {
        await #expect(processExitsWith: .success) {
            let world = try World()
            let (group, none) = (BusValue.string(""), BusValue.string(""))
            #expect(world.error("Mute", group, .string("A"), .bool(true)) == "")
            #expect(world.error("Mute", .string("group.a"), .string("6f9619ff"), .bool(false)) == "")
            #expect(world.error("Hold", group, none, .bool(true)) == "")
            #expect(world.error("Keypad", group, none, .string("12,#")) == "")
            #expect(world.error("End", group, none) == "")
            let expected: [CallCommand] = [.mute(true), .mute(false), .hold(true), .keypad("12,#"), .end]
            #expect(world.chosen == expected)
            #expect(world.error("Hold", group, none, .bool(false)) == "\(World.error).NoSuchCall", "none is held")
            var held = WorkerEnd.call
            held.state = .held
            world.peer.say(held)
            while world.nextSignal().arguments[1]["state"] != .string("held") {}
            #expect(world.error("Hold", group, none, .bool(false)) == "")
            #expect(world.error("End", group, none) == "\(World.error).NoSuchCall", "none is on")
            #expect(world.chosen == [.hold(false)])
        }
    }

    @Test("what cannot be done is an error with a reason, and nobody is asked for it") func errors() async {
        await #expect(processExitsWith: .success) {
            var call = WorkerEnd.call
            call.canHold = false
            let world = try World(call)
            let (group, a) = (BusValue.string(""), BusValue.string("A"))
            for other in ["B", "6F", "a"] {
                let name = BusValue.string(other)
                #expect(world.error("End", group, name) == "\(World.error).NoSuchCall")
                #expect(world.error("Keypad", group, name, .string("1")) == "\(World.error).NoSuchCall")
            }
            #expect(world.error("End", .string("group.b"), a) == "\(World.error).NoSuchCall")
            #expect(world.error("End", .string("a/b"), a) == "\(World.error).BadGroup")
            #expect(world.error("Hold", group, a, .bool(true)) == "org.freedesktop.DBus.Error.NotSupported")
            let invalid = "org.freedesktop.DBus.Error.InvalidArgs"
            for digits in ["", "12a3x", String(repeating: "1", count: 1 << 20)] {
                #expect(world.error("Keypad", group, a, .string(digits)) == invalid)
            }
            #expect(world.error("Hold", group, a) == invalid && world.error("Mute", group, a, .string("1")) == invalid)
            #expect(world.error("End", group, a, .bool(true)) == invalid)
            #expect(world.chosen == [])
        }
    }

    @Test("it neither rings, nor vibrates, nor mutes; the desktop stays as long as it goes on, and leaves after it")
    func noRing() async {
        await #expect(processExitsWith: .success) {
            let world = try World()
            let properties = world.properties()
            #expect(properties["RingingCount"] == .uint32(0) && properties["MissedCount"] == .uint32(0))
            #expect(world.peer.reports().isEmpty, "no first report, and none of the notification")
            world.rest(DesktopService.linger + .seconds(1))
            #expect(!world.finished)
            world.peer.leave()
            world.rest(DesktopService.linger + .seconds(1))
            #expect(world.finished)
        }
    }
}
