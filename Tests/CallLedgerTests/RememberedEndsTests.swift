import BelfryTerms
@testable import CallLedger
import Testing

/// The ends that are kept apart from the group file: R8. HangupTests and AdmissionTests ask what is remembered of them.
@Suite struct RememberedEndsTests {
    let file = GroupFile(movesEnds: true)

    private func bytes(of moved: (bytes: [UInt8], isAddition: Bool)?) -> [UInt8] { moved?.bytes ?? [] }

    @Test("R8 of more than 32 ends the 16 latest stay in the file, and each answer and decline") func few() {
        let file = GroupFile()
        for id in ["answered", "declined"] { file.request(id) }
        file.answer("answered")
        file.decline("declined")
        file.settle("answered", .answered)
        file.settle("declined", .declined)
        for number in 1...32 {
            file.pass(.seconds(1))
            file.hangUp("\(number)")
        }
        file.change { #expect($0.moveOldEnds(behind: { RememberedEnds() }) == nil) }
        file.hangUp("33")
        file.change { ledger in
            #expect(ledger.moveOldEnds(behind: { RememberedEnds() })?.isAddition == true)
            #expect(ledger.calls.map(\.key.text) == ["answered", "declined"] + (18...33).map(String.init))
        }
    }

    @Test("R11 an end that its owner has still to report, and the call without an id, stay in the file") func owned() {
        file.request("a")
        file.end("a", .timeout)
        #expect(file.ledger.call(CallKey("a")) != nil)
        file.report("a")
        #expect(file.ledger.call(CallKey("a")) == nil && file.state("a") == .timeout)
        file.request("")
        file.settle("", .timeout)
        #expect(file.ledger.call(CallKey("")) != nil)
    }

    @Test(
        "R8 an id is found whatever its bytes are, and no other is",
        arguments: ["a\tb", "a\nb", "%", "%0A", "é", "a b"])
    func ids(id: String) {
        file.hangUp(id)
        #expect(file.request(id) == .silent(.hungUp, missed: true))
        for other in [id + "a", String(id.dropLast()) + "z", "%2509"] { #expect(file.state(other) == nil) }
    }

    @Test("ends have no names") func names() throws {
        file.request("a", rings: nil)
        file.report("a")
        let text = String(decoding: try #require(file.ends), as: UTF8.self)
        #expect(text.contains("a\tmissed\t") && !text.contains("Caller"))
    }

    @Test("R8 of two versions of an end the later counts, also if a note brings the earlier back into the file")
    func versions() {
        file.request("a")
        file.settle("a", .timeout)
        let earlier = GroupFile()
        earlier.request("a")
        earlier.settle("a", .timeout)
        file.hangUp("a", sentAt: 1_700_000_000)
        #expect(file.state("a") == .hangup)
        file.root = earlier.root
        #expect(file.ledger.call(CallKey("a"))?.state == .timeout && file.state("a") == .hangup)
    }

    @Test("lines that make no sense are passed over, and the end after one that was cut short is found") func nonsense()
    {
        file.hangUp("a")
        for line in [
            "", "\t", "b\thangup\t\t\t1\t2\t3\t\t", "b\tringing\t\t\t1\t2\t3\t\t\t", "b\tx", "%G\u{0}\thangup",
        ] {
            file.ends = (file.ends ?? []) + Array(line.utf8)
        }
        file.hangUp("c")
        #expect(file.state("a") == .hangup && file.state("c") == .hangup && file.state("b") == nil)
        #expect(!RememberedEnds(Array("\tx".utf8)).contains(from: "x") { _ in true })
    }

    @Test("the file is written anew once half of it can be forgotten, is too long, or cannot be read") func anew()
        throws
    {
        for number in 1...100 { file.hangUp("\(number)") }
        file.pass(.seconds(599))
        let before = try #require(file.ends).count
        file.hangUp("later")
        #expect(try #require(file.ends).count > before)
        file.pass(.seconds(2))
        file.hangUp("last")
        #expect(try #require(file.ends).count < before / 10 && file.state("later") == .hangup && file.state("1") == nil)

        let line = try #require(file.ends).dropFirst()
        let oldest = Array(String(decoding: line, as: UTF8.self).replacing("last\t", with: "oldest\t").utf8)
        while try #require(file.ends).count + 2 * line.count < RememberedEnds.bytesMax {
            file.ends = try #require(file.ends) + line
        }
        file.ends = oldest + (try #require(file.ends))
        #expect(file.state("oldest") == .hangup)
        file.hangUp("latest")
        file.hangUp("very latest")
        #expect(try #require(file.ends).count <= RememberedEnds.bytesMax / 2)
        #expect(file.state("latest") == .hangup && file.state("oldest") == nil)
        file.ends = nil
        file.hangUp("new")
        #expect(try #require(file.ends).count < 100 && file.state("new") == .hangup)
    }
}
