import BelfryJSON
import BelfryProtocol
import BelfryTerms
import KeeperChannel
import Support
import Testing

/// What an extension's process writes is hostile: S1 and S5 at the host's end.
@Suite struct KeeperEndTests {
    private static let start = Instant(microseconds: 0)

    private static func end(handedOver number: Int64 = 1) -> KeeperEnd {
        var end = KeeperEnd(folders: ChannelFolders(["/own", "/bundle"]))
        let request = ExtensionRequest(
            number: number, identifier: "", content: NotificationContent(), deadline: Instant(microseconds: 0))
        #expect(end.handOver(request) == KeeperMessage.request(request).line)
        return end
    }

    @Test(
        "what is no message ends the channel",
        arguments: [
            "garbage\n", "[]\n", "{}\n", "{\"say\":1}\n", "{\"say\":\"reply\"}\n",
            "{\"say\":\"reply\",\"number\":\"1\",\"content\":{}}\n",
            "{\"say\":\"reply\",\"number\":1.5,\"content\":{}}\n",
            "{\"say\":\"reply\",\"number\":1,\"content\":{\"title\":1}}\n",
            "{\"say\":\"returned\",\"number\":99999999999999999999}\n",
            "{\"say\":\"asked\",\"number\":1,\"what\":\"sound\",\"path\":1,\"detail\":\"\"}\n",
            "{\"say\":\"asked\",\"number\":1,\"what\":\"remove\",\"detail\":\"\",\"identifiers\":[\"a\",1]}\n",
            "{\"say\":\"hello\",\"say\":\"hello\"}\n", "\u{0}\n",
        ])
    func noMessage(line: String) {
        var end = Self.end()
        #expect(throws: ChannelError.self) { _ = try end.take(Array(line.utf8), at: Self.start) }
    }

    @Test("S5 half a line is no message, and a line of more than 1 MiB ends the channel")
    func longLine() throws {
        var end = Self.end()
        #expect(try end.take(Array("{\"say\":\"hello\"".utf8), at: Self.start).isEmpty)
        #expect(throws: ChannelError.self) {
            _ = try end.take([UInt8](repeating: 0x20, count: 1 << 20), at: Self.start)
        }
    }

    @Test("S5 of a second 200 requests are passed on, and every reply; one warning stands for the rest")
    func manyRequests() throws {
        var end = Self.end()
        let vibration = ExtensionMessage.asked(1, Asked(CodeWord(.vibration)))
        let flood = Array(repeating: vibration.line, count: 10_000).flatMap(\.self)
        let heard = try end.take(flood + ExtensionMessage.reply(1, NotificationContent()).line, at: Self.start)
        #expect(heard.count == 202 && heard[199] == vibration)
        #expect(heard[200] == .warning(1, CodeWord(.outputCut), detail: "more than 200 requests a second"))
        #expect(heard[201] == .reply(1, NotificationContent()))
        #expect(try end.take(vibration.line, at: Self.start + .milliseconds(999)).isEmpty)
        #expect(try end.take(vibration.line, at: Self.start + .seconds(1)) == [vibration])
    }

    @Test("S5 of a notification 64 warnings are passed on, and one more that says so")
    func manyWarnings() throws {
        var end = Self.end()
        let line = ExtensionMessage.warning(1, CodeWord(.unsupported), detail: "d").line
        let heard = try end.take(Array(repeating: line, count: 1_000).flatMap(\.self), at: Self.start)
        #expect(heard.count == 65)
        #expect(heard.last == .warning(1, CodeWord(.outputCut), detail: "more than 64 warnings"))
        let next = ExtensionRequest(number: 2, identifier: "", content: NotificationContent(), deadline: Self.start)
        _ = end.handOver(next)
        #expect(try end.take(line, at: Self.start).count == 1)
    }

    @Test("S5 of each notification one return is passed on and two replies, and none of one that it does not have")
    func onceANumber() throws {
        var end = Self.end()
        let next = ExtensionRequest(number: 2, identifier: "", content: NotificationContent(), deadline: Self.start)
        _ = end.handOver(next)
        var (returns, replies): ([Int64], [Int64]) = ([], [])
        for _ in 0..<100 {
            for number: Int64 in [1, 2, 0, 3, .max] {
                let said = ExtensionMessage.returned(number).line + ExtensionMessage.reply(number, next.content).line
                for message in try end.take(said, at: Self.start) {
                    if case .returned(let number) = message { returns.append(number) }
                    if case .reply(let number, _) = message { replies.append(number) }
                }
            }
        }
        #expect(returns == [1, 2] && replies == [1, 2, 1, 2])
    }

    @Test("S5 of a notification 1,000 lines of output are passed on") func manyLines() throws {
        var end = Self.end()
        #expect(end.take(output: "a\nb", at: Self.start) == [.output(1, ExtensionOutput(text: "a\nb"))])
        let many = String(repeating: "x\n", count: 20_000)
        let kept = ExtensionOutput(text: String(repeating: "x\n", count: 998))
        let cut = ExtensionMessage.warning(1, CodeWord(.outputCut), detail: "more than 1000 lines of output")
        #expect(end.take(output: many, at: Self.start) == [.output(1, kept), cut])
        #expect(end.take(output: "y", at: Self.start).isEmpty)
        let whole = ExtensionOutput(text: String(repeating: "x\n", count: 1_000))
        var other = Self.end()
        #expect(other.take(output: whole.text, at: Self.start) == [.output(1, whole)])
    }

    @Test("S5 of a reply 16 dropped attachments are told of, and how many more; 64 may stay") func manyAttachments()
        throws
    {
        var end = Self.end()
        var content = NotificationContent()
        content.attachments = (0..<700).map {
            NotificationAttachment(id: "\($0)", path: $0 < 100 ? "/own/\($0)" : "/etc/\($0)", type: "public.png")
        }
        let heard = try end.take(ExtensionMessage.reply(1, content).line, at: Self.start)
        let last = ExtensionMessage.warning(1, CodeWord(.attachmentDropped), detail: "and 620 more attachments")
        #expect(heard.count == 18 && heard[16] == last)
        guard case .reply(1, let kept)? = heard.last else {
            Issue.record("no reply")
            return
        }
        #expect(kept.attachments.map(\.id) == (0..<64).map { "\($0)" })
    }

    @Test("S5 of a notification 64 KiB of output are passed on, and no number that it makes up gives it more")
    func muchOutput() throws {
        var end = Self.end()
        let kibibyte = String(repeating: "x", count: 1_024)
        var heard: [ExtensionMessage] = []
        for number in 1...100 {
            heard += try end.take(
                ExtensionMessage.output(Int64(number), ExtensionOutput(text: kibibyte)).line, at: Self.start)
        }
        #expect(heard.count == 65 && heard[63] == .output(1, ExtensionOutput(text: kibibyte)))
        #expect(heard[64] == .warning(1, CodeWord(.outputCut), detail: "more than 65536 bytes of output"))
        _ = end.handOver(
            ExtensionRequest(number: 2, identifier: "", content: NotificationContent(), deadline: Self.start))
        #expect(
            try end.take(ExtensionMessage.output(2, ExtensionOutput(text: kibibyte)).line, at: Self.start) == [
                .output(2, ExtensionOutput(text: kibibyte))
            ])
        let rest = String(repeating: "y", count: 63 << 10)
        #expect(end.take(output: rest, at: Self.start) == [.output(2, ExtensionOutput(text: rest))])
        #expect(end.take(output: "z", at: Self.start).count == 1 && end.take(output: "z", at: Self.start).isEmpty)
    }

    @Test("what belongs to no notification counts as the last one's")
    func strangeNumbers() throws {
        var end = Self.end(handedOver: 4)
        for number in [0, -1, 5, Int64.max, .min] {
            let asked = Asked(CodeWord(.badge), count: 1)
            #expect(try end.take(ExtensionMessage.asked(number, asked).line, at: Self.start) == [.asked(4, asked)])
        }
        #expect(
            try end.take(ExtensionMessage.output(2, ExtensionOutput(text: "x")).line, at: Self.start) == [
                .output(2, ExtensionOutput(text: "x"))
            ])
    }

    @Test("S1 a path leads into the extension's folders, or nowhere")
    func paths() throws {
        let folders = ChannelFolders(["/own", "/bundle/Name.appex"])
        for path in ["/own/a", "/own/a b/é.png", "/own/...", "/bundle/Name.appex/ring.mp3"] {
            #expect(folders.contain(path), "\(path)")
        }
        for path in [
            "", "/", "/own", "/own/", "own/a", "/ownother/a", "/own/../etc/passwd", "/own/./a", "/own//a", "/own/a/..",
            "/own/a\u{0}b", "/bundle/a", "/etc/passwd", "../own/a",
        ] {
            #expect(!folders.contain(path), "\(path)")
        }
    }

    @Test("R2 S1 an intent's picture from elsewhere is dropped with 100, and the rest is delivered")
    func picture() throws {
        for (path, isKept) in [("/own/p.webp", true), ("/etc/shadow", false)] {
            var end = Self.end()
            var content = NotificationContent()
            content.picture = NotificationAttachment(id: "p", path: path, type: "org.webmproject.webp")
            let heard = try end.take(ExtensionMessage.reply(1, content).line, at: Self.start)
            if isKept {
                #expect(heard == [.reply(1, content)])
            } else {
                content.picture = nil
                let detail = "100 Invalid attachment file URL: the picture of an intent"
                #expect(heard == [.warning(1, CodeWord(.attachmentDropped), detail: detail), .reply(1, content)])
            }
        }
    }

    @Test("R2 S1 an attachment from elsewhere is dropped with 100, and the rest is delivered")
    func attachments() throws {
        var end = Self.end()
        var content = NotificationContent()
        content.attachments = ["/own/a.png", "/etc/shadow"].map {
            NotificationAttachment(id: $0, path: $0, type: "public.png")
        }
        let heard = try end.take(ExtensionMessage.reply(1, content).line, at: Self.start)
        content.attachments.removeLast()
        let detail = "100 Invalid attachment file URL: /etc/shadow"
        #expect(heard == [.warning(1, CodeWord(.attachmentDropped), detail: detail), .reply(1, content)])
        let sound = ExtensionMessage.asked(1, Asked(CodeWord(.sound), path: "/etc/shadow"))
        guard case .warning(1, let code, _)? = try end.take(sound.line, at: Self.start).first else {
            Issue.record("a stranger's file is played")
            return
        }
        #expect(code == .unsupported)
    }

    @Test("S3 text for people is short, and moves no cursor")
    func details() throws {
        var end = Self.end()
        let long = "\u{1B}[2J" + String(repeating: "x", count: 10_000)
        let heard = try end.take(ExtensionMessage.warning(1, CodeWord(.unsupported), detail: long).line, at: Self.start)
        guard case .warning(_, _, let detail)? = heard.first else {
            Issue.record("no warning")
            return
        }
        #expect(detail.hasPrefix("\\u{1b}[2J") && detail.count < 500)
    }

    @Test("R18 no bytes trap either end")
    func anything() {
        var random = SeededRandom(seed: 7)
        let lines = MessageTests.toHost.flatMap(\.line) + MessageTests.toExtension.flatMap(\.line)
        for _ in 0..<2_000 {
            let bytes = random.mutated(lines)
            var (host, process) = (Self.end(), ExtensionEnd())
            _ = try? host.take(bytes, at: Self.start)
            _ = try? process.take(bytes)
        }
    }

    @Test("what is written before any hand-over is of none, and is limited too")
    func beforeHandOver() throws {
        var end = KeeperEnd(folders: ChannelFolders(["/own"]))
        let much = String(repeating: "x", count: KeeperEnd.outputBytesMax)
        #expect(end.take(output: much, at: Self.start) == [.output(0, ExtensionOutput(text: much))])
        #expect(end.take(output: "y", at: Self.start).count == 1, "a warning")
        #expect(end.take(output: "z", at: Self.start).isEmpty)
    }

    @Test("S5 who wrote a line counts as output too")
    func origins() throws {
        let much = String(repeating: "x", count: 40 << 10)
        for output in [
            ExtensionOutput(text: much, subsystem: much), ExtensionOutput(text: much, category: much),
            ExtensionOutput(text: "", subsystem: much, category: much),
        ] {
            var end = Self.end()
            guard
                case .warning(1, let code, _)? = try end.take(ExtensionMessage.output(1, output).line, at: Self.start)
                    .first
            else {
                Issue.record("80 KiB are passed on")
                return
            }
            #expect(code == .outputCut)
        }
    }

    @Test("a number that was not handed over yet is the last one's, from the first on")
    func nextNumber() throws {
        var end = Self.end()
        let output = ExtensionOutput(text: "x")
        #expect(try end.take(ExtensionMessage.output(2, output).line, at: Self.start) == [.output(1, output)])
    }

    @Test("S3 text for people has 400 characters at most, of what is asked for too")
    func detailLimit() throws {
        for (count, isWhole) in [(400, true), (401, false)] {
            let long = String(repeating: "x", count: count)
            let shown = isWhole ? long : String(repeating: "x", count: 400) + "…"
            var end = Self.end()
            let line = ExtensionMessage.warning(1, CodeWord(.unsupported), detail: long).line
            #expect(try end.take(line, at: Self.start) == [.warning(1, CodeWord(.unsupported), detail: shown)])
            let asked = ExtensionMessage.asked(1, Asked(CodeWord(.vibration), detail: long)).line
            #expect(try end.take(asked, at: Self.start) == [.asked(1, Asked(CodeWord(.vibration), detail: shown))])
        }
    }

    @Test("what is written is as important as it says, within syslog's eight levels")
    func priorities() {
        let pairs: [(Int64, Int64)] = [(.min, 0), (-1, 0), (0, 0), (1, 1), (7, 7), (8, 7), (.max, 7)]
        for (said, heard) in pairs { #expect(ExtensionOutput(text: "", priority: said).priority == heard) }
    }
}
