import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallService
import Support
import Testing

/// A worker's connection to a `belfry-calls` that is played, on real sockets; time is moved by hand.
@Suite struct CallLinkTests {
    private let loop = PolledLoop()
    private let centre: DesktopEnd
    private static let push = VoIPPush(
        id: "A", group: DesktopEnd.group, kind: .callRequest, payload: "{}", until: Instant(microseconds: 9))

    init() throws { centre = try DesktopEnd() }

    private final class Heard {
        var orders: [WorkerOrder?] = []
    }

    private func link() throws -> CallLink { try #require(CallLink(to: centre.path, on: loop)) }

    private static func event(_ body: Event.Body) -> Event { Event(at: 1, boot: 2, id: "A", body: body) }

    @Test("where nothing listens there is none") func nobody() {
        #expect(CallLink(to: centre.path + ".other", on: loop) == nil)
    }

    @Test("the push is its first line, and then come the worker's events, but for ticks") func says() throws {
        let (link, heard) = (try link(), Heard())
        #expect(try centre.letIn())
        link.write(Self.event(.received(.init(type: .callRequest, call: "A", why: .voip))))
        link.handOver(Self.push) { heard.orders.append($0) }
        link.write(Self.event(.tick(n: 1, late: 0)))
        let silent = Self.event(.silent(call: "A", why: .duplicate))
        link.write(silent)
        #expect(centre.heard() == WorkerMessage.push(Self.push).line + silent.line)
        link.close()
        link.write(silent)
        #expect(centre.heard() == [] && heard.orders == [])
    }

    @Test("its orders are heard in any pieces; a warning that comes from there is not said there") func hears() throws {
        let (link, heard) = (try link(), Heard())
        #expect(try centre.letIn())
        let orders: [WorkerOrder] = [
            .wait(app: "a"), .warning(CodeWord(.actionTwice), detail: "twice"), .ring(ReportedCaller("Grace")),
        ]
        link.handOver(Self.push) {
            heard.orders.append($0)
            if case .warning(let code, let detail)? = $0 {
                link.write(Self.event(.warning(code: code, detail: detail)))
            }
        }
        _ = centre.heard()
        for byte in orders.flatMap(\.line) + WorkerOrderText.later {
            centre.say(String(decoding: [byte], as: UTF8.self))
            loop.settle()
        }
        #expect(heard.orders == orders.map { $0 })
        link.write(Self.event(.warning(code: .noCallID, detail: "")))
        #expect(centre.heard() == Self.event(.warning(code: .noCallID, detail: "")).line)
    }

    @Test("a tune's file can be taken while its order is heard; of files without one only the last waits")
    func tune() throws {
        let (link, heard, folder) = (try link(), Heard(), TemporaryFolder())
        #expect(try centre.letIn())
        var files: [PassedFile?] = []
        link.handOver(Self.push) { order in
            heard.orders.append(order)
            if case .tone? = order { files.append(link.takeFile()) }
        }
        let file = try makeTuneFile(in: folder)
        centre.say(WorkerOrder.tone("a").line, passing: file)
        centre.say(WorkerOrder.ring(nil).line, passing: file)
        centre.say(WorkerOrder.handed.line, passing: file)
        centre.say(String(decoding: WorkerOrder.tone("b").line + WorkerOrder.tone("c").line, as: UTF8.self))
        for _ in 0..<8 { loop.settle() }
        #expect(heard.orders == [.tone("a"), .ring(nil), .handed, .tone("b"), .tone("c")])
        #expect(files.map { $0?.isSealedMemory } == [true, true, nil])
    }

    @Test("where no app takes the push that is known before a loop is made ready to wait") func atOnce() throws {
        let (link, heard) = (try link(), Heard())
        #expect(try centre.letIn())
        centre.say(String(decoding: WorkerOrder.none.line, as: UTF8.self))
        link.handOver(Self.push) { [unowned link] in
            heard.orders.append($0)
            link.close()
        }
        #expect(heard.orders == [WorkerOrder.none] && loop.watchedCount == 0)
    }

    @Test(
        "it is gone once: as it leaves, or says what is no line",
        arguments: ["", "garbage\n", #"{"say": "wait"}"# + "\n"])
    func gone(_ words: String) throws {
        let (link, heard) = (try link(), Heard())
        #expect(try centre.letIn())
        link.handOver(Self.push) { heard.orders.append($0) }
        _ = centre.heard()
        centre.say(words)
        if words.isEmpty { centre.hangUp() }
        loop.settle()
        loop.settle()
        #expect(heard.orders == [nil] && loop.watchedCount == 0)
    }

    @Test("S5: a line without end ends it") func tooLong() throws {
        let (link, heard) = (try link(), Heard())
        #expect(try centre.letIn())
        link.handOver(Self.push) { heard.orders.append($0) }
        for _ in 0..<40 where heard.orders.isEmpty {
            centre.say(String(repeating: "a", count: 64 << 10))
            loop.settle()
        }
        #expect(heard.orders == [nil])
    }
}

private enum WorkerOrderText {
    /// What a later version says.
    static let later = Array(#"{"say": "of-tomorrow", "x": 1}"#.utf8) + [0x0A]
}
