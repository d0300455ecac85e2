import BelfryPictures
import BelfryTerms
import Testing

/// What the worker and the fetcher say to each other.
@Suite struct ConversationTests {
    @Test func aRequestReadsBackAsItWasWritten() {
        let request = FetchRequest(
            url: "https://a.example/é\n", bytesMax: 1_024, milliseconds: 1_500, allow: ["10.0.0.0/8", "b"], from: ["c"],
            entityTag: "\"x\"")
        #expect(FetchRequest(line: request.line) == request)
        #expect(request.line.last == UInt8(ascii: "\n"))
        #expect(request.line.dropLast().allSatisfy { $0 != UInt8(ascii: "\n") })
        #expect(FetchRequest(line: Array(#"{"url":"x"}"#.utf8)) == FetchRequest(url: "x"))
    }

    @Test func theLongestRequestFits() {
        let host = Array(repeating: String(repeating: "a", count: 253), count: FetchLimits.hostsMax)
        let request = FetchRequest(url: String(repeating: "x", count: 60_000), allow: host, from: host)
        #expect(FetchRequest(line: request.line) == request)
    }

    @Test("a request of a mebibyte is read, a longer one is not")
    func requestBytes() {
        func request(_ count: Int) -> FetchRequest? {
            let frame = #"{"url":""}"#
            return FetchRequest(
                line: Array(#"{"url":"\#(String(repeating: "x", count: count - frame.utf8.count))"}"#.utf8))
        }
        #expect(request(1 << 20) != nil && request(1 << 20 + 1) == nil)
    }

    @Test func limitsOutOfRangeAreBroughtIn() {
        let line = Array(#"{"url":"x","bytesMax":1e300,"milliseconds":-5}"#.utf8)
        let request = FetchRequest(line: line)
        #expect(request?.bytesMax == FetchLimits.bodyBytesMax)
        #expect(request?.milliseconds == 1)
        let longest = FetchRequest(line: Array(#"{"url":"x","bytesMax":-1,"milliseconds":1e300}"#.utf8))
        #expect(longest?.bytesMax == 1 && longest?.milliseconds == 25_000)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"url":1}"#, #"{"url":"x","allow":"y"}"#, #"{"url":"x","allow":[1]}"#,
        #"{"url":"x","bytesMax":"1"}"#, #"{"url":"x"}}"#,
    ])
    func whatIsNoRequestIsNone(_ line: String) {
        #expect(FetchRequest(line: Array(line.utf8)) == nil)
    }

    @Test func anAnswerReadsBackAsItWasWritten() {
        let picture = FetchAnswer.Picture(source: .webp, width: 512, height: 1, bytes: 95, fetchedBytes: 1_000)
        for outcome in [
            FetchAnswer.Outcome.picture(picture), .unchanged, .skipped(Skip(.tlsFailed, "the certificate")),
        ] {
            let answer = FetchAnswer(
                outcome, seconds: 0.25, freshness: Freshness(seconds: 60, entityTag: "W/\"1\""))
            #expect(FetchAnswer(line: answer.line) == answer)
            #expect(answer.line.count <= FetchLimits.answerBytesMax)
        }
        for reason in SkipReason.allCases {
            let answer = FetchAnswer(.skipped(Skip(reason, "")), seconds: 1)
            #expect(FetchAnswer(line: answer.line) == answer)
        }
    }

    @Test(arguments: [
        "", "x", "[]", #"{"outcome":"picture","seconds":1}"#, #"{"outcome":"other","seconds":1}"#,
        #"{"outcome":"unchanged"}"#, #"{"outcome":"unchanged","seconds":-1}"#,
        #"{"outcome":"unchanged","seconds":1e300}"#,
        #"{"outcome":"unchanged","seconds":1,"etag":"x"}"#,
        #"{"outcome":"skipped","seconds":1,"reason":"x","detail":""}"#,
        #"{"outcome":"picture","seconds":1,"source":"svg","width":1,"height":1,"bytes":1,"fetchedBytes":1}"#,
        #"{"outcome":"picture","seconds":1,"source":"png","width":513,"height":1,"bytes":1,"fetchedBytes":1}"#,
        #"{"outcome":"picture","seconds":1,"source":"png","width":1.5,"height":1,"bytes":1,"fetchedBytes":1}"#,
        #"{"outcome":"picture","seconds":1,"source":"png","width":1,"height":0,"bytes":1,"fetchedBytes":1}"#,
        #"{"outcome":"picture","seconds":1,"source":"png","width":1,"height":1,"bytes":99999999,"fetchedBytes":1}"#,
    ])
    func whatNoFetcherOfOursSaysIsNoAnswer(_ line: String) {
        #expect(FetchAnswer(line: Array(line.utf8)) == nil)
    }

    @Test func aHostileDetailIsFitToPrint() {
        let line = Array(#"{"outcome":"skipped","seconds":1,"reason":"timeout","detail":"\u001b[2J\u202e"}"#.utf8)
        let answer = FetchAnswer(line: line)
        #expect(answer?.outcome == .skipped(Skip(.timeout, "\\u{1b}[2J\\u{202e}")))
    }
}
