import Fleet
import FleetKeys
import Support
import Testing

/// Who may what, asked of a real broker that serves the folder that a set-up made: the brokers enforce it, not we.
@Suite struct BrokerRightsTests {
    /// Subjects that whoever is called so may use, and some that they may not.
    struct Rights {
        let role: FleetRole
        let name: String
        let published: [String]
        let unpublished: [String]
        let heard: [String]
        let unheard: [String]
    }

    private static let stream = "KV_belfry-devices"

    /// What no role may publish.
    private static let foreign = [
        "a", "belfry", "belfry.push", "belfry.other.kiosk-1", "_INBOX.1", "_INBOX.other.1", "_R_.1",
        "$SYS.REQ.SERVER.PING", "$SYS.REQ.CLAIMS.UPDATE", "$SYS.REQ.ACCOUNT.PING.CONNZ", "$SYS.REQ.USER.INFO",
        "$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST", "$JS.API.STREAM.CREATE.\(stream)",
        "$JS.API.STREAM.UPDATE.\(stream)", "$JS.API.STREAM.DELETE.\(stream)", "$JS.API.STREAM.PURGE.\(stream)",
        "$JS.API.STREAM.MSG.DELETE.\(stream)", "$JS.API.STREAM.INFO.OTHER", "$JS.API.CONSUMER.CREATE.OTHER",
        "$JS.API.CONSUMER.DURABLE.CREATE.\(stream).a", "$JS.API.STREAM.SNAPSHOT.\(stream)",
        "$JS.API.STREAM.RESTORE.\(stream)", "$JS.API.STREAM.LEADER.STEPDOWN.\(stream)",
        "$JS.API.META.LEADER.STEPDOWN", "$JS.API.SERVER.REMOVE", "$JS.API.ACCOUNT.PURGE.a", "$KV.other.kiosk-1.1",
        "$JS.FC.OTHER.a", "$JS.ACK.\(stream).a",
    ]
    /// What no role may subscribe to.
    private static let unheard = [
        ">", "*", "*.>", "belfry.>", "belfry.*.*", "belfry.*.kiosk-1", "belfry.*.gate", "belfry.push.*",
        "belfry.push.>", "belfry.push.kiosk-2", "belfry.push.kiosk-2 queue", "belfry.answer.>", "belfry.answer.*.1",
        "belfry.answer.kiosk-2.>", "belfry.said.>", "belfry.said.*.*.*", "belfry.said.*.other.*",
        "belfry.said.kiosk-1.>", "_INBOX.>", "_INBOX.*.1", "_INBOX.other.>", "_INBOX.1", "$KV.>",
        "$KV.belfry-devices.>", "$SYS.>", "$SYS.ACCOUNT.>", "$JS.>", "$JS.API.>", "$JS.EVENT.>", "$JS.FC.>",
    ]

    private static func machine(_ role: FleetRole) -> Rights {
        Rights(
            role: role, name: "kiosk-1",
            published: ["belfry.here.kiosk-1", "belfry.device.kiosk-1", "belfry.said.kiosk-1.gate.7"],
            unpublished: [
                "belfry.push.kiosk-1", "belfry.push.kiosk-2", "belfry.here.kiosk-2", "belfry.device.kiosk-2",
                "belfry.here.kiosk-1.a", "belfry.said.kiosk-2.gate.7", "belfry.answer.kiosk-1.1",
                "$KV.belfry-devices.kiosk-1.1", "$JS.API.STREAM.INFO.\(stream)", "$JS.API.CONSUMER.CREATE.\(stream)",
                "$JS.API.CONSUMER.DELETE.\(stream).a", "$JS.FC.\(stream).a", "_INBOX.gate.1",
            ],
            heard: ["belfry.push.kiosk-1", "belfry.answer.kiosk-1.>", "belfry.answer.kiosk-1.1"],
            unheard: ["belfry.here.*", "belfry.device.*", "belfry.here.kiosk-1", "belfry.said.*.gate.*"])
    }

    static let table = [
        machine(.machine), machine(.shared),
        Rights(
            role: .gateway, name: "gate",
            published: [
                "belfry.push.kiosk-1", "belfry.push.kiosk-2", "belfry.answer.kiosk-1.1",
                "$KV.belfry-devices.kiosk-1.1", "$JS.API.STREAM.INFO.\(stream)", "$JS.API.CONSUMER.CREATE.\(stream)",
                "$JS.API.CONSUMER.CREATE.\(stream).a", "$JS.API.CONSUMER.DELETE.\(stream).a", "$JS.FC.\(stream).a.b",
            ],
            unpublished: [
                "belfry.push.a.b", "belfry.here.kiosk-1", "belfry.device.kiosk-1", "belfry.said.kiosk-1.gate.7",
                "_INBOX.gate.1",
            ],
            heard: ["belfry.here.*", "belfry.device.*", "belfry.said.*.gate.*", "_INBOX.gate.>", "_INBOX.gate.1"],
            unheard: ["belfry.push.kiosk-1", "belfry.push.gate", "belfry.answer.kiosk-1.1"]),
    ]

    @Test("a role may use its subjects, and no other", arguments: table)
    func rights(_ rights: Rights) throws {
        let fleet = try PlayedFleet()
        let broker = try SetUpBroker(fleet)
        let line = try BrokerLine(broker.port, fleet.enroll(rights.name, as: rights.role))
        for subject in rights.published { #expect(try line.mayPublish(subject), "\(subject)") }
        for subject in rights.heard { #expect(try line.maySubscribe(subject), "\(subject)") }
        for subject in rights.unpublished + Self.foreign { #expect(try !line.mayPublish(subject), "\(subject)") }
        for subject in rights.unheard + Self.unheard { #expect(try !line.maySubscribe(subject), "\(subject)") }
    }

    @Test("a gateway's push reaches its machine alone, whose word reaches that gateway alone")
    func messages() throws {
        let fleet = try PlayedFleet()
        let broker = try SetUpBroker(fleet)
        let lines = try [
            ("kiosk-1", FleetRole.machine), ("kiosk-2", .machine), ("gate", .gateway), ("other", .gateway),
        ]
        .map { try BrokerLine(broker.port, fleet.enroll($0.0, as: $0.1)) }
        for (line, subject) in zip(lines, ["belfry.push.kiosk-1", "belfry.push.kiosk-2"]) {
            #expect(try line.answers(to: "SUB \(subject) 1\r\n") == [])
        }
        for (line, name) in zip(lines[2...], ["gate", "other"]) {
            #expect(try line.answers(to: "SUB belfry.said.*.\(name).* 1\r\n") == [])
        }
        #expect(try lines[2].answers(to: "PUB belfry.push.kiosk-1 belfry.said.kiosk-1.gate.3 4\r\npush\r\n") == [])
        #expect(
            lines[0].line() == "MSG belfry.push.kiosk-1 1 belfry.said.kiosk-1.gate.3 4" && lines[0].line() == "push")
        #expect(try lines[0].answers(to: "PUB belfry.said.kiosk-1.gate.3 5\r\ntaken\r\n") == [])
        #expect(lines[2].line() == "MSG belfry.said.kiosk-1.gate.3 1 5" && lines[2].line() == "taken")
        // What came to the others would stand before this answer.
        for line in [lines[1], lines[3]] {
            try line.send("PING\r\n")
            #expect(line.line() == "PONG")
        }
        // Nobody hears a machine that is not there, and the gateway is told so at once.
        try lines[2].send("SUB _INBOX.gate.> 2\r\nPUB belfry.push.kiosk-3 _INBOX.gate.1 0\r\n\r\n")
        #expect(lines[2].line()?.hasPrefix("HMSG _INBOX.gate.1 2 ") == true && lines[2].line() == "NATS/1.0 503")
    }

    @Test("what is longer than 64 KiB ends the connection")
    func tooLong() throws {
        let fleet = try PlayedFleet()
        let broker = try SetUpBroker(fleet)
        let line = try BrokerLine(broker.port, fleet.enroll("kiosk-1"))
        let text = String(repeating: "x", count: 65_536)
        #expect(try line.answers(to: "PUB belfry.here.kiosk-1 65536\r\n\(text)\r\n") == [])
        try line.send("PUB belfry.here.kiosk-1 65537\r\n")
        #expect(line.line() == "-ERR 'Maximum Payload Violation'" && line.line() == nil)
    }
}
