import Testing

/// Each of these facts has one decider: whoever asks it again elsewhere may decide otherwise one day.
@Suite struct DeciderTests {
    private struct Fact: Sendable {
        /// The file of what decides it, and its declarations there.
        let decider: String
        let deciders: Set<String>
        /// Whether a declaration that names `cases`, in these lines, decides the fact.
        let isAsked: @Sendable (_ cases: () -> Set<String>, _ lines: [String]) -> Bool
        /// Who has the words to ask something else: a declaration, with its file where others may be called so.
        let others: Set<String>
    }

    /// Whether a call was missed (R11), by the words for ends of rings and for reasons of hangups.
    private static let missed = Fact(
        decider: "ClosedLists", deciders: ["init"],
        isAsked: { cases, lines in
            let cases = cases()
            return cases.intersection(["timeout", "expired", "stopped", "missed"]).count > 1
                || cases.isSuperset(of: ["answered", "declined", "foreground"])
                || cases.contains("cancelled") && !cases.isDisjoint(with: ["busy", "failed"])
                || !cases.isDisjoint(with: ["answeredElsewhere", "declinedElsewhere"])
                || ["var isMissed", "func isMissed"].contains { lines[0].contains($0) }
                    && !lines.contains { $0.contains("issedReason") }
        },
        others: [
            // From one list of words to another.
            "ClosedLists endReason", "CodeWords answeredElsewhere", "CodeWords declinedElsewhere", "RingAsk end",
            "EventDescription explained",
            // Whether a hangup makes another end of what the ledger remembers, or silences a request (R8).
            "LedgerEnds refresh", "LedgerNote keepHangup", "LedgerAdmission memory",
            // Which of the operator's programs is run, of a call that is said to be missed.
            "WorkerEvents init",
            // Whether any process has something left to do with a call.
            "RememberedEnds isOver",
            // The state of a call that never rang, by why it is missed.
            "LedgerAdmission miss",
            // Words of other lists, and a hangup that is sent.
            "EventStory failure", "RingCheck ringEvents", "Story read",
            // How an app ends a ring, and who has ended one.
            "CallEnds ringEnd", "RingNews ends", "RingNews actor", "Reports silence",
        ])

    /// What kind of push it is (R1): `apns-push-type`, and what is in a call's push.
    private static let kindOfPush = Fact(
        decider: "PushFate", deciders: ["init"],
        isAsked: { _, lines in
            lines.contains { line in
                ["push.call", "pushType ==", "pushType !=", "switch push", ".request(let", ".hangup(let"]
                    .contains { line.contains($0) }
            }
        },
        others: [
            // Messages of another name, and a call's key.
            "KeeperMessage json", "AppMessage line", "CallStateMachine appSaid", "WorkerMessage line",
            "WorkerMessage read", "PushDue init", "PushArrival pushCame",
            // What the rule asks, what the desktop hears first, and what is said of a push that was sorted.
            "InterceptionRules init", "Reception greeting", "PushExplanation parts",
            "PushExplanation why",
        ])

    /// Where a text has places for values (S4).
    private static let places = Fact(
        decider: "Placeholders", deciders: ["filled", "init"],
        isAsked: { _, lines in lines.contains { $0.contains("%@") || $0.contains("\"%\"") } },
        // Who makes a text with places, an address, or a line.
        others: [
            "Localization appendLiteral", "Localization appendInterpolation", "WebURL target", "RememberedEnds escaped",
            "RememberedEnds text", "TrialUnit escaped",
            // A volume in percent.
            "ValueText percent",
        ])

    @Test("R11 whether a call was missed is decided by MissedReason.init alone") func missedCalls() {
        check(Self.missed, SourceTree.sources, \.code)
    }

    @Test("R1 what kind of push it is, is asked by PushFate alone, once a push is read") func pushes() {
        let files = SourceTree.sources.filter {
            !["Apple", "Client"].contains($0.floor) && $0.module != "BelfryProtocol"
        }
        check(Self.kindOfPush, files, \.code)
    }

    @Test("S4 places for values are found by Placeholders alone") func placesForValues() {
        check(Self.places, SourceTree.sources, \.lines)
    }

    private func check(_ fact: Fact, _ files: [SourceTree.File], _ lines: (SourceTree.File) -> [String]) {
        var found: Set<String> = []
        for file in files {
            let fileName = file.path.split(separator: "/").last?.dropLast(6) ?? ""
            for (name, number) in Self.askers(fact, lines(file)) {
                let names = [name, "\(fileName) \(name)"]
                found.formUnion(names)
                let isDecider = fileName == fact.decider && fact.deciders.contains(name)
                #expect(
                    isDecider || !fact.others.isDisjoint(with: names),
                    "\(file.path):\(number) \(name) asks what is decided in \(fact.decider).swift")
            }
        }
        #expect(fact.others.subtracting(found).isEmpty, "these ask no longer")
    }

    /// The declarations in `lines` that ask `fact`, each with its line.
    private static func askers(_ fact: Fact, _ lines: [String]) -> [(name: String, number: Int)] {
        var starts = lines.indices.filter { declaration(in: lines[$0]) != nil }
        starts.append(lines.count)
        return zip(starts, starts.dropFirst()).compactMap { start, end in
            let body = lines[start..<end].map { $0.drop { $0 == " " }.hasPrefix("//") ? "" : $0 }
            guard fact.isAsked({ cases(in: body) }, body) else { return nil }
            return (declaration(in: lines[start]) ?? "", start + 1)
        }
    }

    /// The name of the function, the initializer or the computed property that begins in `line`.
    private static func declaration(in line: String) -> String? {
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
        if let place = words.firstIndex(of: "func"), place + 1 < words.count { return words[place + 1] }
        let isInit = line.contains("init(") || line.contains("init?(")
        if words.contains("init"), isInit, line.hasSuffix("{") || line.hasSuffix("(") { return "init" }
        guard let place = words.firstIndex(of: "var"), place + 1 < words.count, line.contains("{"),
            !line.prefix(while: { $0 != "{" }).contains("=")
        else { return nil }
        return words[place + 1]
    }

    /// The names of cases in `lines`: `.busy` and `Reason.busy`, but not `line.busy`.
    private static func cases(in lines: [String]) -> Set<String> {
        var names: Set<String> = []
        for tokens in CodeWords.lines(of: lines) {
            for (index, token) in tokens.enumerated().dropFirst() {
                guard case .word(let name) = token, tokens[index - 1] == .mark(".") else { continue }
                switch index > 1 ? tokens[index - 2] : .mark(" ") {
                case .word(let owner): if owner.first?.isUppercase ?? false || isKeyword(owner) { names.insert(name) }
                case .mark(let mark): if !")]?!}".unicodeScalars.contains(mark) { names.insert(name) }
                }
            }
        }
        return names
    }

    private static func isKeyword(_ word: String) -> Bool { ["case", "return", "in", "else"].contains(word) }

    @Test("a second decider is found, however it asks") func planted() {
        let missed = [
            "func f(_ end: EndReason) -> Bool { end == .timeout || end == .stopped }",
            "    var wasMissed: Bool { [.timeout, .expired, .stopped].contains(reason) }",
            "func f(_ end: EndReason) -> Bool { end != .answered && end != .declined && end != .foreground }",
            "func f(_ reason: HangupReason) -> Bool { reason == .cancelled || reason == .busy }",
            "func f(_ reason: HangupReason) -> Bool { reason != .answeredElsewhere }",
            "var isMissed: Bool { reason != .hangup }",
        ]
        for line in missed { #expect(Self.askers(Self.missed, [line]).count == 1, "\(line)") }
        for line in [
            "func f(_ push: Push) -> Bool { push.call != nil }", "func f() { if case .hangup(let hangup)? = call {} }",
            "var isCall: Bool { pushType == .voip }",
        ] {
            #expect(Self.askers(Self.kindOfPush, [line]).count == 1, "\(line)")
        }
        for line in ["func f() { text.replacing(\"%@\", with: name) }", "func f() { text.split(separator: \"%\") }"] {
            #expect(Self.askers(Self.places, [line]).count == 1, "\(line)")
        }
        #expect(Self.askers(Self.missed, ["func f() { settings.timeout + line.expired }"]).isEmpty)
        #expect(Self.askers(Self.places, ["    // as %@ does", "func f() {}", "    // as %@ does"]).isEmpty)
    }
}
