import BelfryAppleGround
import BelfryProtocol
import BelfryTerms
import Support
import Testing

/// An extension in Swift, made of Apple's names alone, behind a real worker.
@Suite struct SwiftExtensionTests {
    private let extensionInSwift = PlayedExtension(program: builtProgram("ExtensionSample"))

    /// The events if the extension is told to do `what`; its process may linger to the end of its budget.
    private func events(_ what: String, budget: String = "3s") throws -> [Event] {
        try extensionInSwift.events(
            of: #"{"aps":{"alert":{"title":"t","body":"b"},"mutable-content":1},"do":"\#(what)"}"#, budget: budget)
    }

    @Test(
        "what it replies is delivered, from whichever thread and queue",
        arguments: ["", "twice", "later", "main", "timer", "state"])
    func replies(what: String) throws {
        // Enough to reply in on a machine that is busy; the process lingers for all of it.
        let events = try events(what, budget: "15s")
        #expect(events.story.contains("delivered extension") && events.delivered?.title == "t 1")
        #expect(events.story.contains("extension returned") && events.story.last == "extension ended")
        #expect(events.story.contains("warning handler-called-again") == (what == "twice"))
        #expect(events.story.contains("asked badge 1") == (what == "state"))
        #expect(events.story.contains("warning center-after-reply") == (what == "state"))
    }

    @Test("R3 one that waits has its expiry call, and may still reply") func waits() throws {
        let events = try events("wait")
        #expect(events.story.contains("warning time-will-expire"))
        #expect(events.story.contains("delivered extension") && events.delivered?.title == "best attempt")
    }

    @Test(
        "R3 one that blocks, crashes or leaves cannot keep its notification",
        arguments: [("block", "delivered extension"), ("crash", "delivered crash"), ("exit", "delivered crash")])
    func fails(what: String, delivery: String) throws {
        let events = try events(what, budget: what == "block" ? "3s" : "30s")
        #expect(events.story.contains(delivery))
        #expect(events.delivered?.title == (what == "block" ? "t 1" : "t"))
        #expect(events.story.contains("warning killed-at-budget") == (what == "block"))
    }

    @Test("an extension has no calls: one that it reports is refused, with the remedy") func noCalls() throws {
        let events = try events("call", budget: "30s")
        #expect(events.delivered?.subtitle == "refused", "\(events.story)")
        let warnings = events.compactMap { event -> String? in
            if case .warning(let code, let detail) = event.body, code == CodeWord(.unsupported) { detail } else { nil }
        }
        #expect(warnings.contains { $0.contains("reportNewIncomingVoIPPushPayload") }, "\(warnings)")
    }

    @Test("a reply that is too large is the original's, with a word") func hugeReply() throws {
        // Enough to make 2 MiB of JSON on a machine that is busy, or the expiry call replies first.
        let events = try events("huge", budget: "30s")
        #expect(events.story.contains("warning output-cut") && events.delivered?.title == "t")
    }

    @Test("the completion of a sound is the one that is there when it ends") func lateCompletion() throws {
        let events = try events("late", budget: "30s")
        #expect(events.delivered?.title == "t 1" && events.delivered?.subtitle == "1", "\(events.story)")
    }

    @Test("a Darwin notification is heard between processes, on the main thread") func darwinNotification() throws {
        let board = PostedNames(path: "\(extensionInSwift.folder.path)/state/notices")
        let ear = try board.listen()
        let payload = #"{"aps":{"alert":{"title":"t"},"mutable-content":1},"do":"notice"}"#
        let run = try extensionInSwift.run(payload, budget: "60s")
        while board.lastPost(of: "com.example.ready") == nil { ear.wait() }
        try board.post("com.example.other")
        try board.post("com.example.stop")
        var written: [String] = []
        while let line = run.complaint() { written.append(line) }
        #expect(written.contains("heard com.example.stop, main thread: true"))
        #expect(!written.contains { $0.contains("other") })
        let events = try run.lines().map { try Event(line: Array($0.utf8)) }
        #expect(events.story.contains("delivered extension"))
    }
}
