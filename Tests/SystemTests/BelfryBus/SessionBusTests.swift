import BelfryBus
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

/// Connections to a real session bus, each test in a process of its own.
@Suite struct SessionBusTests {
    private static let name = "org.example.Bell"

    /// What `value` is to who gets it.
    private static func received(_ value: BusValue) -> BusValue {
        guard case .bytes(let bytes) = value else { return value }
        return .array(of: "y", bytes.map { .byte($0) })
    }

    /// What comes back of `values` from somebody who answers with what they were asked.
    private static func echo(
        _ values: [BusValue], from bus: PlayedBus, to connection: SessionBus
    ) -> Result<[BusValue], BusFailure>? {
        var answer: Result<[BusValue], BusFailure>?
        connection.call(name, "/bell", name, "Echo", values) {
            answer = $0
            bus.loop.stop()
        }
        bus.run()
        return answer
    }

    private static func nested(_ depth: Int) -> BusValue {
        depth == 0 ? .string("core") : .array(of: String(repeating: "a", count: depth - 1) + "s", [nested(depth - 1)])
    }

    @Test("a value of every type comes as it was sent, both ways") func values() async {
        await #expect(processExitsWith: .success) {
            let bus = try PlayedBus(SessionBusTests.name)
            var asked: [BusValue] = []
            bus.answer = {
                asked = $0.arguments
                return $0.arguments
            }
            let connection = try SessionBus(on: bus.loop)
            let values: [BusValue] = [
                .byte(0), .byte(255), .bool(true), .bool(false), .int32(.min), .uint32(.max), .int64(.min),
                .uint64(.max), .double(-0.5), .string(""), .string("Glöckchen 🔔"), .bytes([]), .bytes([1, 0, 255]),
                .strings([]), .strings(["a", "b"]),
                .properties([("volume", .uint32(7)), ("is \"loud\"", .bool(true))]),
                .structure([.string("name"), .structure([.int32(-1), .double(2)])]),
                .variant(.variant(.array(of: "(su)", [.structure([.string("x"), .uint32(1)])]))),
            ]
            let answer = try SessionBusTests.echo(values, from: bus, to: connection)?.get()
            #expect(asked == values.map(SessionBusTests.received) && answer == asked)
            let cut = SessionBusTests.echo([.string("a\0b")], from: bus, to: connection)
            #expect(try cut?.get() == [.string("a\u{FFFD}b")], "D-Bus cannot carry NUL")
            #expect(try SessionBusTests.echo([], from: bus, to: connection)?.get() == [])
            // What is of no type that can be sent is not.
            let failure = BusFailure(
                name: "org.freedesktop.DBus.Error.Disconnected", text: "sd_bus_message_append: Invalid argument")
            #expect(SessionBusTests.echo([.other], from: bus, to: connection) == .failure(failure))
            let nameless = SessionBusTests.echo([.array(of: "?", [])], from: bus, to: connection)
            #expect(nameless == .failure(failure), "no type is called so")
            var timely: [BusValue]?
            connection.call(
                SessionBusTests.name, "/bell", SessionBusTests.name, "Echo", [.int32(1)], within: .seconds(60)
            ) {
                timely = try? $0.get()
                bus.loop.stop()
            }
            bus.run()
            #expect(timely == [.int32(1)], "there is time enough")
        }
    }

    @Test("of a dictionary a value is known by its key, whatever holds it") func dictionary() {
        let properties = BusValue.properties([("muted", .variant(.bool(true))), ("volume", .uint32(7))])
        #expect(properties["volume"]?.number == 7 && properties["muted"]?.flag == true)
        #expect(properties["none"] == nil && BusValue.string("volume")["volume"] == nil)
        #expect(BusValue.strings(["a", "b"]).texts == ["a", "b"])
        #expect(BusValue.array(of: "u", [.uint32(1)]).texts == nil)
        #expect(BusValue.string("a").text == "a" && BusValue.uint32(1).text == nil && BusValue.int32(1).number == nil)
        #expect(BusValue.variant(.variant(.byte(1))).unwrapped == .byte(1) && BusValue.byte(1).flag == nil)
    }

    @Test("what is nested or long beyond measure ends what is read, and nothing else") func limits() async {
        await #expect(processExitsWith: .success) {
            let bus = try PlayedBus(SessionBusTests.name)
            bus.answer = { $0.arguments }
            let connection = try SessionBus(on: bus.loop)
            func echo(_ value: BusValue) throws -> [BusValue]? {
                try SessionBusTests.echo([.string("first"), value, .string("last")], from: bus, to: connection)?.get()
            }
            let longest = BusValue.bytes(.init(repeating: 9, count: 4_096))
            #expect(try echo(longest) == [.string("first"), SessionBusTests.received(longest), .string("last")])
            #expect(try echo(.bytes(.init(repeating: 9, count: 4_097))) == [.string("first")])
            let deepest = SessionBusTests.nested(16)
            #expect(try echo(deepest) == [.string("first"), deepest, .string("last")])
            #expect(try echo(SessionBusTests.nested(17))?.first == .string("first"))
            #expect(try echo(SessionBusTests.nested(17))?.contains(.string("last")) == false)
        }
    }

    @Test("paths and signatures are texts, and a type that nobody needs is passed over") func foreignTypes() async {
        await #expect(processExitsWith: .success) {
            let bus = try PlayedBus(SessionBusTests.name)
            var heard: [BusValue]?
            bus.heard = {
                heard = $0.arguments
                bus.loop.stop()
            }
            let caller = try ProgramRun(
                "/usr/bin/busctl",
                [
                    "--user", "--expect-reply=no", "call", SessionBusTests.name, "/bell", SessionBusTests.name, "Ring",
                    "ogqsv", "/a/path", "a{sv}", "7", "after", "s", "inside",
                ])
            bus.run()
            #expect(caller.complaints() == [])
            #expect(
                heard == [.string("/a/path"), .string("a{sv}"), .other, .string("after"), .variant(.string("inside"))])
        }
    }

    @Test("a call tells who asks for what, and has the answer or why there is none") func calls() async {
        await #expect(processExitsWith: .success) {
            let bus = try PlayedBus(SessionBusTests.name)
            var calls: [BusMessage] = []
            bus.heard = { message in
                calls.append(message)
                message.fail("org.example.Error.Broken", "the bell is broken")
                // An answer to what was answered goes nowhere.
                message.reply([.string("after all")])
            }
            let connection = try SessionBus(on: bus.loop)
            let answer = SessionBusTests.echo([], from: bus, to: connection)
            #expect(answer == .failure(.init(name: "org.example.Error.Broken", text: "the bell is broken")))
            let call = try #require(calls.first)
            #expect(call.kind == .call && call.path == "/bell" && call.member == "Echo")
            #expect(call.interface == SessionBusTests.name && call.sender.hasPrefix(":1."))

            func failure(_ name: String, starts: Bool) -> String? {
                var why: String?
                connection.call(name, "/bell", name, "Ring", starts: starts) {
                    if case .failure(let failure) = $0 { why = "\(failure.name): \(failure.text)" }
                    bus.loop.stop()
                }
                bus.run()
                return why
            }
            let started = failure("org.example.Nobody", starts: true)
            #expect(
                started == "org.freedesktop.DBus.Error.ServiceUnknown: The name org.example.Nobody was not provided"
                    + " by any .service files")
            #expect(failure("org.example.Nobody", starts: false) != started, "nobody is started unasked")
            #expect(
                failure("no name", starts: false)
                    == "org.freedesktop.DBus.Error.Disconnected: sd_bus_message_new_method_call: Invalid argument")
        }
    }

    @Test("a call that waits no longer has no answer, and what comes late is no call") func lateAnswer() async {
        await #expect(processExitsWith: .success) {
            let bus = try PlayedBus(SessionBusTests.name)
            let connection = try SessionBus(on: bus.loop)
            var unanswered: BusMessage?
            var end: Result<[BusValue], BusFailure>?
            bus.heard = {
                unanswered = $0
                if end != nil { bus.loop.stop() }
            }
            var late: BusMessage?
            connection.onMessage = {
                // The bus tells its name with a signal.
                guard $0.kind != .signal else { return false }
                late = $0
                bus.loop.stop()
                return false
            }
            connection.call(SessionBusTests.name, "/bell", SessionBusTests.name, "Ring", within: .milliseconds(100)) {
                end = $0
                bus.loop.stop()
            }
            bus.run()
            if unanswered == nil { bus.run() }
            guard case .failure(let failure) = end else {
                Issue.record("\(String(describing: end))")
                return
            }
            #expect(failure.name == "org.freedesktop.DBus.Error.NoReply" && late == nil)
            try #require(unanswered).reply([.uint32(1)])
            bus.run()
            #expect(late?.kind == .other && late?.arguments == [.uint32(1)] && late?.member == "")
        }
    }

    @Test("a call without a limit waits longer than sd-bus would") func patient() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("SYSTEMD_BUS_TIMEOUT", "100ms", 1)
            let bus = try PlayedBus(SessionBusTests.name)
            bus.heard = { message in
                _ = bus.loop.schedule(at: bus.loop.now + .milliseconds(300), description: "answer") { message.reply() }
            }
            let answer = SessionBusTests.echo([], from: bus, to: try SessionBus(on: bus.loop))
            #expect(answer == .success([]))
        }
    }

    @Test("a signal comes to who listens; a call that is not for us is answered by the bus") func signals() async {
        await #expect(processExitsWith: .success) {
            let bus = try PlayedBus()
            let connection = try SessionBus(on: bus.loop)
            var signals: [BusMessage] = []
            bus.heard = { message in
                if message.interface == SessionBusTests.name {
                    signals.append(message)
                    // A signal has no answer.
                    message.reply()
                    message.fail("org.example.Error.Broken", "")
                    bus.loop.stop()
                }
            }
            bus.listen(to: "/bell")
            // Who listens is known to the bus before anything is sent.
            connection.callBus("GetId", []) { _ in bus.loop.stop() }
            bus.run()
            connection.emit("/elsewhere", SessionBusTests.name, "Rang", [])
            connection.emit("no path", SessionBusTests.name, "Rang", [])
            // Whatever its name is: the bus has not gone.
            connection.emit("/bell", SessionBusTests.name, "Disconnected", [])
            connection.emit("/bell", SessionBusTests.name, "Rang", [.string("once"), .uint32(1)])
            bus.run()
            bus.run()
            #expect(signals.map(\.kind) == [.signal, .signal])
            #expect(signals.map(\.member) == ["Disconnected", "Rang"])
            #expect(signals.last?.path == "/bell" && signals.last?.arguments == [.string("once"), .uint32(1)])

            var own: [String] = []
            connection.onMessage = { message in
                own.append(message.member)
                guard message.member == "Mine" else { return false }
                bus.loop.afterThis(description: "answer") { message.reply([.string("ours")]) }
                return true
            }
            var owner: String?
            connection.callBus("RequestName", [.string(SessionBusTests.name), .uint32(0)]) { _ in
                connection.callBus("GetNameOwner", [.string(SessionBusTests.name)]) {
                    owner = try? $0.get().first?.text
                    bus.loop.stop()
                }
            }
            bus.run()
            #expect(owner == signals.first?.sender)
            let caller = try SessionBus(on: bus.loop)
            let other = SessionBusTests.echo([], from: bus, to: caller)
            guard case .failure(let failure) = other else {
                Issue.record("\(String(describing: other))")
                return
            }
            #expect(failure.name == "org.freedesktop.DBus.Error.UnknownObject", "\(failure)")
            var answer: [BusValue]?
            caller.call(SessionBusTests.name, "/bell", SessionBusTests.name, "Mine") {
                answer = try? $0.get()
                bus.loop.stop()
            }
            bus.run()
            #expect(answer == [.string("ours")])
            #expect(own.contains("Echo") && own.contains("Mine"))
        }
    }

    @Test("that the bus is gone is told once, and so is whoever waits for an answer") func lost() async {
        await #expect(processExitsWith: .success) {
            let bus = try PlayedBus(SessionBusTests.name)
            bus.heard = { if $0.member == "Ring" { try? bus.kill() } }
            let connection = try SessionBus(on: bus.loop)
            var losses = 0
            var messages: [String] = []
            connection.onLost = {
                losses += 1
                bus.loop.stop()
            }
            connection.onMessage = {
                messages.append($0.member)
                return false
            }
            var ends: [Result<[BusValue], BusFailure>] = []
            connection.call(SessionBusTests.name, "/bell", SessionBusTests.name, "Ring") { ends.append($0) }
            bus.run()
            #expect(losses == 1 && ends.count == 1 && !messages.contains("Disconnected"))
            connection.call(SessionBusTests.name, "/bell", SessionBusTests.name, "Ring") {
                ends.append($0)
                bus.loop.stop()
            }
            bus.run()
            for end in ends { #expect((try? end.get()) == nil) }
            #expect(ends.count == 2 && losses == 1)
            // Nobody listens there any more.
            #expect(throws: SystemError(errno: ECONNREFUSED, call: "sd_bus_open_user")) {
                try SessionBus(on: bus.loop)
            }
        }
    }

    @Test("nothing comes over a connection that was closed, which is not lost") func closed() async {
        await #expect(processExitsWith: .success) {
            let bus = try PlayedBus(SessionBusTests.name)
            let connection = try SessionBus(on: bus.loop)
            connection.onLost = { Issue.record("it was closed") }
            connection.onMessage = {
                Issue.record("\($0.member)")
                return false
            }
            connection.close()
            connection.close()
            var end: Result<[BusValue], BusFailure>?
            connection.callBus("GetId", []) {
                end = $0
                bus.loop.stop()
            }
            bus.run()
            guard case .failure(let failure) = end else {
                Issue.record("\(String(describing: end))")
                return
            }
            #expect(failure.name == "org.freedesktop.DBus.Error.Disconnected")
        }
    }
}
