import BelfryProtocol
import BelfryTerms
import CallChannel
import CallDirectory
import CallDirectoryFiles
import CallLedger
import CallService
import Glibc
import Support
import Synchronization
import Testing

/// What a number does to a call that the worker rings, by real tables.
@Suite("What a number does to a call") struct DirectoryCallTests {
    let phone = FakePhone()
    let folder = TemporaryFolder()
    let calls = ScriptedCalls()

    private static let tellows = GroupName("com.example.tellows") ?? { preconditionFailure("no name") }()
    private static let shield = GroupName("com.example.shield") ?? { preconditionFailure("no name") }()
    private static let number: Int64 = 49_30_1234567
    private static let handle = #""handle": "+49 30 1234567""#

    init() {
        let plan = DialingPlan(countryCode: "49", trunkPrefix: "0", internationalPrefix: "00")
        phone.lookUp = DirectoryLookup.ofHandles(plan, inStateDirectory: folder.path)
    }

    func directory() throws -> FilledDirectory { try FilledDirectory(inStateDirectory: folder.path) }

    /// A call without a name of its own.
    func call(_ fields: String = handle, id: String = "A", envelope: String = "") throws -> FakePhone.Worker {
        try phone.push(
            #""type": "call-request", "callId": "\#(id)", \#(fields)"#,
            aps: #""alert": {"body": "calls"}, "mutable-content": 1"#, envelope: envelope)
    }

    func voip(_ fields: String = handle) throws -> FakePhone.Worker {
        let calls = calls
        phone.connect = { calls }
        return try phone.push(
            #""type": "call-request", "callId": "A", \#(fields)"#, aps: "", envelope: #""pushType": "voip""#)
    }

    private func label(_ worker: FakePhone.Worker, _ kind: Event.Kind) -> NumberLabel? {
        let bodies = worker.world.events.map(\.body)
        return bodies.map { Event(at: 0, boot: 0, id: "", body: $0) }.first { $0.kind == kind }?.label
    }

    private func title(_ worker: FakePhone.Worker, _ kind: Event.Kind = .delivered) -> String? {
        let bodies = worker.world.events.map(\.body)
        return bodies.map { Event(at: 0, boot: 0, id: "", body: $0) }.first { $0.kind == kind }?.content?.title
    }

    // MARK: Blocked

    @Test("R24 a blocked caller does not ring, is delivered unseen, and is nowhere in the group's file") func blocked()
        throws
    {
        try directory().fill(.list, blocked: [Self.number], labels: [Self.number: "Swindle"])
        let before = phone.file.root
        let worker = try call()
        #expect(worker.world.fullStory == ["received call-request", "silent blocked", "delivered extension unseen"])
        #expect(worker.isFinished && phone.file.root == before && worker.world.pulses.isEmpty)
        #expect(label(worker, .silent) == NumberLabel("Swindle", from: "list"))
        phone.loop.advance(by: .seconds(60))
        #expect(phone.file.read().missedCalls.isEmpty && phone.file.read().calls.isEmpty)
        #expect(try call(#""handle": "+49 30 1234568""#, id: "B").world.story.first == "ringing loud")
    }

    @Test("R24 every way to write the number is the number, and what is none rings") func handles() throws {
        try directory().fill(.list, blocked: [Self.number])
        let same = ["+49301234567", "030/123 45 67", "0049-30-1234567", "tel:+49-30-1234567", "sip:+49301234567@a.b"]
        for (index, handle) in same.enumerated() {
            #expect(
                try call(#""handle": "\#(handle)""#, id: "\(index)").world.story.first == "silent blocked", "\(handle)")
        }
        // The zero of a national number is lost: nobody can tell it from another country's.
        for (index, handle) in ["301234567", "49301234567", "anna@example.org", "", "+", "0"].enumerated() {
            let worker = try call(#""handle": "\#(handle)""#, id: "x\(index)")
            #expect(worker.world.story.first?.hasPrefix("ringing") == true, "\(handle)")
        }
    }

    @Test("R24 numbers of any size are looked up or are none, and each call rings that is not blocked") func sizes()
        throws
    {
        let entries: [Int64] = [
            .min, -Self.number, 0, 123_456_789_012_345, 1_234_567_890_123_456, 1_234_567_890_123_456_789, .max,
        ]
        try directory().fill(.list, blocked: entries)
        let heard = try ["0", "123456789012345", "1234567890123456", "1234567890123456789", "9223372036854775807"]
            .enumerated().map { try call(#""handle": "+\#($1)""#, id: "\($0)").world.story.first ?? "" }
        #expect(
            heard.map { $0 == "silent blocked" } == [false, true, true, false, false], "18 digits at most: \(heard)")
    }

    @Test("R24 a blocked voip push that no app takes, or reports in time, is blocked as well") func blockedVoIP() throws
    {
        try directory().fill(.list, blocked: [Self.number])
        let worker = try voip()
        calls.say(.none)
        #expect(worker.world.fullStory == ["received voip", "silent blocked", "delivered passthrough unseen"])
        #expect(worker.isFinished && phone.file.read().calls.isEmpty)
        let late = try voip()
        calls.say(.wait(app: "a"), .handed, .ring(nil))
        #expect(late.world.story == ["silent blocked", "delivered app unseen"] && late.isFinished)
    }

    @Test(
        "R24 what belfry-calls has found blocked is delivered unseen, also if the push is no call itself",
        arguments: [true, false])
    func blockedByCentre(isCall: Bool) throws {
        let calls = calls
        phone.connect = { calls }
        let type = isCall ? #""type": "call-request", "callId": "A""# : #""type": "mail""#
        let worker = try phone.push(
            type, aps: #""alert": "hello""#,
            envelope: #""pushType": "voip", "id": "01234567-89AB-4CDE-8F01-23456789ABCD""#)
        calls.say(.wait(app: "a"), .handed, .silent(CodeWord(.blocked), label: NumberLabel("Swindle", from: "Tellows")))
        #expect(
            worker.world.story.suffix(2) == ["silent blocked", "delivered app unseen"], "\(worker.world.fullStory)")
        #expect(worker.isFinished)
        #expect(label(worker, .silent)?.title == "Tellows: Swindle" && phone.file.read().calls.isEmpty)
    }

    @Test("R24 a call that belfry-calls has rung is not looked up again, unless the app has named no number")
    func reported() throws {
        try directory().fill(.list, blocked: [Self.number])
        var caller = ReportedCaller(nil, "+49 30 1234567")
        caller.label = NumberLabel("Bank", from: "Tellows")
        let worker = try voip()
        calls.say(.ring(caller))
        #expect(worker.world.story.contains("ringing loud") && title(worker) == "Tellows: Bank")
        #expect(label(worker, .caller) == caller.label && label(worker, .ringing) == caller.label)
        let unnamed = try voip()
        calls.say(.ring(ReportedCaller("Ada")))
        #expect(unnamed.world.story.suffix(2) == ["silent blocked", "delivered app unseen"])
        phone.settings.looksUpAppCalls = false
        let apples = try voip()
        calls.say(.ring(ReportedCaller("Ada")))
        #expect(
            apples.world.story.contains { $0.hasPrefix("silent duplicate") }, "the first one rings: it was not blocked")
    }

    // MARK: Known

    @Test("R24 whose number it is stands in ringing, in missed, in the file, and is the title where there is no name")
    func labelled() throws {
        let directory = try directory()
        try directory.order([(Self.tellows, "Tellows")])
        try directory.fill(.extension(Self.tellows), labels: [Self.number: "Bank"])
        let worker = try call()
        let bank = NumberLabel("Bank", from: "Tellows")
        #expect(worker.world.story == ["ringing loud", "delivered extension"])
        #expect(label(worker, .ringing) == bank && title(worker) == "Tellows: Bank")
        #expect(phone.file.read().call(CallKey("A"))?.label == bank)
        phone.loop.advance(by: .seconds(30))
        #expect(worker.world.storyWithoutTicks.suffix(2) == ["ended timeout", "missed"])
        #expect(label(worker, .missed) == bank && title(worker, .missed) == "Tellows: Bank")
        #expect(phone.file.read().missedCalls.map(\.label) == [bank])
        let named = try call(
            #""callerName": "Tellows: Bank", "label": "Police", "labelFrom": "contacts", "handle": "+1""#, id: "B")
        #expect(label(named, .ringing) == nil && title(named) == "Tellows: Bank", "its own name, and no label")
        let both = try call(#""callerName": "Ada", \#(Self.handle)"#, id: "C")
        #expect(label(both, .ringing) == bank && title(both) == "Ada")
    }

    @Test("R24 a contact is named and rings, whoever blocks it; the person's own list goes before extensions")
    func sources() throws {
        let directory = try directory()
        try directory.order([(Self.tellows, "Tellows")])
        try directory.fill(.contacts, labels: [1: "Mum"])
        try directory.fill(.list, blocked: [1, 2], labels: [3: "Aunt"])
        try directory.fill(
            .extension(Self.tellows), blocked: [1, 3, 4], labels: [1: "x", 2: "x", 3: "x", 4: "Swindle"])
        let told = try (1...4).map { number in
            let worker = try call(#""handle": "+\#(number)""#, id: "\(number)")
            let label = label(worker, .ringing) ?? label(worker, .silent)
            return "\(worker.world.story[0].prefix(6)) \(label?.title ?? "")"
        }
        #expect(told == ["ringin Mum", "silent ", "ringin Aunt", "silent Tellows: Swindle"])
    }

    @Test("R24 of extensions that disagree the first names and any blocks, in the order of the person") func order()
        throws
    {
        let directory = try directory()
        try directory.fill(.extension(Self.tellows), labels: [1: "Bank", 2: "Shop"])
        try directory.fill(.extension(Self.shield), blocked: [2], labels: [1: "Call centre", 2: "Swindle"])
        func told(_ id: String) throws -> [String] {
            try [1, 2].map { number in
                let worker = try call(#""handle": "+\#(number)""#, id: "\(id)\(number)")
                return (label(worker, .ringing) ?? label(worker, .silent))?.title ?? "nobody"
            }
        }
        #expect(try told("off") == ["nobody", "nobody"], "nothing counts before it is on")
        try directory.order([(Self.tellows, "Tellows"), (Self.shield, "contacts")])
        #expect(try told("a") == ["Tellows: Bank", "Tellows: Shop"])
        #expect(try call(#""handle": "+2""#, id: "c").world.story.first == "silent blocked")
        try directory.order([(Self.shield, "contacts"), (Self.tellows, "Tellows")])
        let own = "contacts (com.example.shield)"
        #expect(try told("b") == ["\(own): Call centre", "\(own): Swindle"], "an app is never taken for the contacts")
    }

    @Test("R24 a label of any bytes names the call in one line, cut off where it is too long") func hostileLabels()
        throws
    {
        let hostile = ["", "a\nb\u{202E}c\u{0}", String(repeating: "&", count: 1 << 20), "\u{2028}x"]
        var labels: [Int64: String] = [:]
        for (index, label) in hostile.enumerated() { labels[Int64(index + 1)] = label }
        try directory().fill(.list, labels: labels)
        let titles = try (1...4).map { number in
            let worker = try call(#""handle": "+\#(number)""#, id: "\(number)")
            #expect(worker.world.story.first?.hasPrefix("ringing") == true)
            return (label(worker, .ringing), title(worker) ?? "")
        }
        #expect(titles[0].0 == nil && titles[0].1 == "")
        #expect(titles[1].1 == "a\\u{a}b\\u{202e}c\\u{0}" && titles[3].1 == "\\u{2028}x", "\(titles)")
        #expect(titles[2].1 == String(repeating: "&", count: NumberEntry.labelBytesMax))
    }

    // MARK: What is not there, or broken

    @Test("R24 each call is looked up once, and where there is no directory none is made") func once() throws {
        final class Asked: Sendable { let handles = Mutex<[String]>([]) }
        let asked = Asked()
        let real = try #require(phone.lookUp)
        phone.lookUp = { handle, complain in
            asked.handles.withLock { $0.append(handle) }
            return real(handle, complain)
        }
        #expect(try call().world.story == ["ringing loud", "delivered extension"])
        #expect(try call(#""callerName": "Ada""#, id: "B").world.story.first == "ringing soft")
        #expect(asked.handles.withLock { $0 } == ["+49 30 1234567"])
        #expect(unsafe access("\(folder.path)/\(DirectoryFolder.name)", F_OK) != 0)
    }

    @Test("R24 a table that is none is one warning, and the call rings; the others count") func damaged() throws {
        try directory().fill(.list, labels: [Self.number: "Bank"])
        folder.write(Array("garbage".utf8), to: "\(DirectoryFolder.name)/\(TableOwner.contacts.fileName)")
        let worker = try call()
        #expect(worker.world.story == ["warning directory-damaged", "ringing loud", "delivered extension"])
        #expect(label(worker, .ringing)?.text == "Bank")
        folder.write(Array("garbage".utf8), to: "\(DirectoryFolder.name)/\(TableOwner.list.fileName)")
        #expect(
            try call(id: "B").world.story.prefix(3) == [
                "warning directory-damaged", "warning directory-damaged", "ringing soft",
            ], "two tables")
    }

    @Test("R24 a stop, and the end of the budget, find a blocked call delivered") func stopped() throws {
        try directory().fill(.list, blocked: [Self.number])
        let worker = try call()
        worker.stop()
        phone.loop.advance(by: .seconds(40))
        #expect(worker.world.story == ["silent blocked", "delivered extension unseen"])
    }
}
