import BelfryTerms
import Testing

/// Every code word that a program may compare is in README.
@Suite struct ReadmeTests {
    private static let readme = SourceTree.text(of: "README.md")

    private static let closedLists: [(name: String, words: [String])] = [
        ("received.type", NotificationType.allCases.map(\.rawValue)),
        ("received.why", PassthroughReason.allCases.map(\.rawValue)),
        ("ringing.mode", RingMode.allCases.map(\.rawValue)),
        ("silent.why", SilenceReason.allCases.map(\.rawValue)),
        ("sound.state", SoundState.allCases.map(\.rawValue)),
        ("attachment.reason", SkipReason.allCases.map(\.rawValue)),
        ("delivered.by", Deliverer.allCases.map(\.rawValue)),
        ("ended.reason", EndReason.allCases.map(\.rawValue)),
        ("ended.hangupReason", HangupReason.allCases.map(\.rawValue)),
        ("warning.code", WarningCode.allCases.map(\.rawValue)),
        ("rejected.reason", RejectionReason.allCases.map(\.rawValue)),
        ("calls.state", CallState.allCases.map(\.rawValue)),
        ("pushType", PushType.allCases.map(\.rawValue)),
    ]

    @Test("README names every word of the closed lists, as code", .enabled(if: readme != nil, "there is no README yet"))
    func namesEveryWord() throws {
        let readme = try #require(Self.readme)
        let spans = readme.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        let code = spans.filter { $0.offset % 2 == 1 }.flatMap { span in
            span.element.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init)
        }
        for (list, words) in Self.closedLists {
            let missing = words.filter { !code.contains($0) }
            #expect(missing.isEmpty, "README does not name \(missing) of \(list)")
        }
    }
}
