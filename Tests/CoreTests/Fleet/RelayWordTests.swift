import BelfryDevices
import BelfryTerms
import Fleet
import Testing

/// What an endpoint and the relay beside it say to each other.
@Suite struct RelayWordTests {
    private static let push = FleetPush(
        EndpointPush(
            apnsID: "a b", token: DeviceToken(bytes: [UInt8](0..<32))!, topic: "a.b", pushType: .alert,
            payload: Array("{ }\n".utf8), acceptedAt: WallTime(microseconds: 1)))
    private static let machine = FleetName("kiosk-7")!

    private func withoutNewline(_ line: [UInt8]) -> [UInt8] {
        #expect(line.last == UInt8(ascii: "\n") && !line.dropLast().contains(UInt8(ascii: "\n")))
        return Array(line.dropLast())
    }

    @Test("each question is read as it was asked, its push byte for byte")
    func questions() {
        for question in [RelayQuestion.push(.max, to: Self.machine, Self.push.bytes), .fence(0)] {
            #expect(RelayQuestion(line: withoutNewline(question.line)) == question)
        }
    }

    @Test(
        "each piece of news is read as it was told",
        arguments: [
            .said(1, .received), .said(2, .rejected(reason: "NotJSON", detail: "a b\n")), .said(3, .replaced),
            .said(4, .event("ended", code: "hangup")), .again(5, .untaken), .again(6, .lineDown), .gone(7), .over(8),
            .back(machine), .fenced(9, isCertain: true), .fenced(10, isCertain: false),
        ] as [RelayNews])
    func news(_ news: RelayNews) {
        #expect(RelayNews(line: withoutNewline(news.line)) == news)
    }

    @Test(
        "what is none of these is not read",
        arguments: [
            "", " ", "push", "push 1 kiosk", "push x kiosk {}", "push 1 * {}", "push -1 kiosk {}", "fence", "fence 1 2",
            "fence 18446744073709551616", "said 1", "said 1 {}", "again 1 why", "gone", "over x", "back *", "back a b",
            "fenced 1", "fenced 1 perhaps", "Fence 1",
        ])
    func malformed(_ line: String) {
        #expect(RelayQuestion(line: Array(line.utf8)) == nil)
        #expect(RelayNews(line: Array(line.utf8)) == nil)
    }
}

/// What machines and gateways say of being there.
@Suite struct HereMessageTests {
    @Test("both are read as they were said, and what is none is refused")
    func read() throws {
        let here = HereMessage(agent: .max, isBack: true)
        #expect(try HereMessage(bytes: here.bytes) == here)
        let shared = HereMessage(
            agent: 1, isBack: false, isShared: true, devices: ["0a1b2c3d-0000-4000-8000-000000000001"])
        #expect(try HereMessage(bytes: shared.bytes) == shared && !here.isShared)
        let answer = HereAnswer(gateway: FleetName("g")!, time: WallTime(microseconds: 5))
        #expect(try HereAnswer(bytes: answer.bytes) == answer)
        let introduction = FleetIntroduction(version: "0.1.0", brokers: ["a:4222", "b:4222"])
        let whole = HereAnswer(
            gateway: FleetName("g")!, time: WallTime(microseconds: 5), since: WallTime(microseconds: 3),
            introduction: introduction, isTwice: true)
        #expect(try HereAnswer(bytes: whole.bytes) == whole)
        let introduced = HereMessage(agent: 1, isBack: false, introduction: introduction)
        #expect(try HereMessage(bytes: introduced.bytes) == introduced)
        #expect(throws: FleetMessageError.self) { try HereMessage(bytes: answer.bytes) }
        #expect(throws: FleetMessageError.self) { try HereAnswer(bytes: here.bytes) }
    }

    @Test("nobody says more of itself than people read") func long() {
        let long = String(repeating: "a", count: 301)
        let introduction = FleetIntroduction(version: long, brokers: [long] + (0..<9).map { "b\($0)" })
        #expect(introduction == FleetIntroduction(version: "", brokers: ["b0", "b1", "b2", "b3"]))
    }

    @Test("what was restored is read as it was told") func restored() {
        for restoration in [
            FleetRestoration(restoredCount: 7, problem: nil), FleetRestoration(restoredCount: 0, problem: "none"),
        ] {
            #expect(FleetRestoration(line: Array(restoration.line.dropLast())) == restoration)
        }
        #expect(FleetRestoration(line: Array(#"{"restored":-1}"#.utf8)) == nil)
    }
}
