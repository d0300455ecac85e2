import BelfryJSON
import BelfryProtocol
import BelfryTerms
import CallDirectory
import KeeperChannel
import Testing

/// What both ends say is what the other hears.
@Suite struct MessageTests {
    private static let content: NotificationContent = {
        var content = NotificationContent()
        content.title = "Ada\n"
        content.sound = NotificationSound(name: "default", isRingtone: true)
        content.attachments = [NotificationAttachment(id: "a", path: "/own/a.png", type: "public.png")]
        content.userInfo = ["aps": ["alert": "x"], "n": .integer(.max), "r": 3.0, "z": .null]
        return content
    }()

    static let toExtension: [KeeperMessage] = [
        .hello(KeeperGreeting(stateDirectory: "/state", memoryBytesMax: 24_000_000)),
        .hello(KeeperGreeting(stateDirectory: "/state", memoryBytesMax: 1, contactsFile: "/home/a.vcf")),
        .request(
            ExtensionRequest(
                number: 3, identifier: "collapse", content: content, deadline: Instant(microseconds: 30_000_000))),
        .expire(3), .finished(9), .begin(isIncremental: true), .answer(nil),
        .answer(DirectoryFailure(.entriesOutOfOrder, "b")), .completed(isExpired: false),
    ]

    static let toHost: [ExtensionMessage] = [
        .hello, .reply(1, content), .returned(1),
        .asked(1, Asked(CodeWord(.sound), path: "/own/ring.wav", count: 2, detail: "played", token: 9)),
        .asked(1, Asked(CodeWord(.add), detail: "a", identifiers: ["a"], content: NotificationContent())),
        .asked(1, Asked(CodeWord(.remove), identifiers: [])),
        .asked(1, Asked(CodeWord(.vibration))), .asked(1, Asked(CodeWord(rawValue: "new"))),
        .output(1, ExtensionOutput(text: "a line\n", priority: 3, subsystem: "app", category: "push")),
        .warning(1, CodeWord(.unsupported), detail: "NSFileCoordinator"),
        .sound(FoundSound(token: 9, sound: 65_536, problem: nil)),
        .sound(FoundSound(token: 9, sound: 65_536, problem: "longer than 30 s")), .disposed(65_536),
        .directory(.add(.blocking, count: 10_000)), .directory(.remove(.identification, count: 1)),
        .directory(.removeAll(.blocking)), .directory(.whole), .directory(.complete),
        .directory(.cancel(domain: "a", code: -1, text: "b")), .directory(.returned), .directory(.done),
    ]

    static let news: [KeeperNews] =
        toHost.filter { $0 != .hello }.map { .said($0) } + [
            .queued, .began(deadline: Instant(microseconds: 7)), .original(by: .stopped), .killed, .over,
            .process(.started, exit: nil, lived: .zero, memory: nil),
            .process(.ended, exit: 137, lived: .seconds(3), memory: 1 << 20),
        ]

    static let orders: [KeeperOrder] = [.receive(identifier: "collapse", content: content), .finished(9)]

    @Test("what is said is heard, wherever its bytes are cut", arguments: [1, 7, 1 << 20])
    func bothWays(pieceBytes: Int) throws {
        var process = ExtensionEnd()
        var host = KeeperEnd(folders: ChannelFolders(["/own"]))
        _ = host.handOver(
            ExtensionRequest(number: 1, identifier: "", content: Self.content, deadline: Instant(microseconds: 0)))
        #expect(
            try Self.pieces(Self.toExtension.flatMap(\.line), pieceBytes).flatMap { try process.take($0) }
                == Self.toExtension)
        #expect(
            try Self.pieces(Self.toHost.flatMap(\.line), pieceBytes).flatMap {
                try host.take($0, at: Instant(microseconds: 0))
            } == Self.toHost)
    }

    @Test("a host that stays and a worker hear what the other says") func aroundTheHost() throws {
        #expect(try Self.news.compactMap { try KeeperNews(line: $0.line.dropLast()) } == Self.news)
        #expect(try Self.orders.compactMap { try KeeperOrder(line: $0.line.dropLast()) } == Self.orders)
        #expect(throws: ChannelError.self) { try KeeperNews(line: Array("{\"say\":\"began\"}".utf8)) }
        #expect(throws: ChannelError.self) { try KeeperOrder(line: Array("garbage".utf8)) }
        #expect(try KeeperNews(line: Array("{\"say\":\"new\"}".utf8)) == nil)
        #expect(try KeeperOrder(line: Array("{\"say\":\"new\"}".utf8)) == nil)
    }

    @Test("a line is one line, whatever is in it")
    func oneLine() {
        for line in Self.toExtension.map(\.line) + Self.toHost.map(\.line) {
            #expect(line.count { $0 == 0x0A } == 1 && line.last == 0x0A)
        }
    }

    @Test("a message knows whether it can be heard")
    func heard() {
        #expect(Self.toHost.allSatisfy { $0.canBeHeard })
        var content = NotificationContent()
        content.body = String(repeating: "x", count: 1 << 20)
        #expect(!ExtensionMessage.reply(1, content).canBeHeard)
        content.body = ""
        for _ in 0..<50 { content.userInfo = ["a": .object(content.userInfo)] }
        #expect(!ExtensionMessage.reply(1, content).canBeHeard)
    }

    @Test("a message that a later version has added is passed over")
    func later() throws {
        var process = ExtensionEnd()
        #expect(try process.take(Array("{\"say\":\"new\"}\n{\"say\":\"expire\",\"number\":2}\n".utf8)) == [.expire(2)])
    }

    private static func pieces(_ bytes: [UInt8], _ count: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: count).map { Array(bytes[$0..<min(bytes.count, $0 + count)]) }
    }
}
