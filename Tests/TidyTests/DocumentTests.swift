import BelfryDevices
import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import Fleet
import PushAPI
import Testing

/// The pages in `docs/` are the law: what they say of words, settings and rooms is what the code has.
@Suite struct DocumentTests {
    /// The closed lists that have a heading of their own, and a table whose first column is their words.
    private static let closedLists: [(heading: String, words: [String])] = [
        ("`received.type`", NotificationType.allCases.map(\.rawValue)),
        ("`received.why`", PassthroughReason.allCases.map(\.rawValue)),
        ("`ringing.mode`", RingMode.allCases.map(\.rawValue)),
        ("`ringing.why`", MuteReason.allCases.map(\.rawValue)),
        ("`silent.why`", SilenceReason.allCases.map(\.rawValue)),
        ("`sound.state`", SoundState.allCases.map(\.rawValue)),
        ("`notification.state`", NotificationState.allCases.map(\.rawValue)),
        ("`vibration.state`", VibrationState.allCases.map(\.rawValue)),
        ("`attachment.reason`", SkipReason.allCases.map(\.rawValue)),
        ("`delivered.by`", Deliverer.allCases.map(\.rawValue)),
        ("`interruptionLevel`", InterruptionLevel.allCases.map(\.rawValue)),
        ("`ended.reason`", EndReason.allCases.map(\.rawValue)),
        ("`reason` of a hangup", HangupReason.allCases.map(\.rawValue)),
        ("`rejected.reason`", RejectionReason.allCases.map(\.rawValue)),
        ("`warning.code`", WarningCode.allCases.map(\.rawValue)),
        ("`app.state`", AppState.allCases.map(\.rawValue)),
        ("`call.state`", AppCallState.allCases.map(\.rawValue)),
        ("`call.by`", CallActor.allCases.map(\.rawValue)),
        ("`action.kind`", AppActionKind.allCases.map(\.rawValue)),
        ("`action.state`", AppActionState.allCases.map(\.rawValue)),
        ("`calls.state`", CallState.allCases.map(\.rawValue)),
        ("`missedCalls.reason`", MissedReason.allCases.map(\.rawValue)),
        ("`step` of a push", PushStep.allCases.map(\.rawValue)),
        ("`code` of `disconnected`", ConnectionEnd.allCases.map(\.rawValue)),
        ("`code` of `offline`", OfflineReason.allCases.map(\.rawValue)),
        ("`code` of `asked-again`", AskedAgain.allCases.map(\.rawValue)),
    ]

    @Test("protocol.md has the words of each closed list, and no other", arguments: closedLists)
    func closedList(heading: String, words: [String]) throws {
        let rows = try Page("docs/protocol.md").rows(under: heading)
        #expect(rows.map { Page.code(in: $0[0]).first ?? "" }.sorted() == words.sorted(), "\(heading)")
        #expect(rows.allSatisfy { $0.count > 1 && !$0[1].isEmpty }, "\(heading) has a word without a meaning")
    }

    @Test("protocol.md names the kinds of push")
    func pushTypes() throws {
        let row = try #require(try Page("docs/protocol.md").rows().first { $0[0] == "`pushType`" })
        #expect(Set(Page.code(in: row[1])).isSuperset(of: PushType.allCases.map(\.rawValue)))
    }

    @Test("README's table of events is that of protocol.md")
    func events() throws {
        let events = try Page("docs/protocol.md").rows(under: "Events").map { $0[0] }
        #expect(try Page("README.md").rows(under: "What comes back").map { $0[0] } == events && events.count > 10)
    }

    @Test("configuration.md has each setting with its variable and its default")
    func settings() throws {
        let rows = try Page("docs/configuration.md").rows(under: "Settings")
        #expect(rows.count == Setting.allCases.count)
        for setting in Setting.allCases {
            let row = rows.first { $0[0] == "`\(setting.name)`" }
            let text = Settings().text(of: setting)
            #expect(row?[1] == "`\(setting.environmentVariable)`", "\(setting.name)")
            #expect(row.map { text.isEmpty ? ["none", "any"].contains($0[2]) : $0[2] == "`\(text)`" } == true)
        }
    }

    @Test("a variable of ours that configuration.md names is no mistake")
    func otherVariables() throws {
        let rows = try Page("docs/configuration.md").rows(under: "Other variables")
        let ours = rows.compactMap { Page.code(in: $0[0]).first }.filter { $0.hasPrefix("BELFRY_") }
        #expect(ours.count >= 5)
        var environment = Environment()
        for name in ours { environment[name] = "no" }
        #expect(SettingsLoader.load(environment: environment).mistakes.isEmpty)
    }

    @Test("ARCHITECTURE.md has each floor, and each room on its own")
    func rooms() throws {
        let page = try Page("docs/ARCHITECTURE.md")
        let map = HouseMap.shared
        #expect(page.rows(under: "The floors").map { $0[0] } == HouseTests.floors.map { "`\($0)/`" })
        for floor in HouseTests.floors {
            let named = Set(page.rows(under: floor).flatMap { Page.code(in: $0[0]) })
            let rooms =
                floor == "Libraries"
                ? map.systemLibraries : Set(map.folders.filter { $0.value.hasPrefix(floor + "/") }.keys)
            #expect(
                named == rooms)
        }
    }

    @Test("what a page links to is there, and is installed beside it")
    func links() throws {
        let makefile = try #require(SourceTree.text(of: "Makefile"))
        for path in Page.all {
            let page = try Page(path)
            let isInstalled = path.hasPrefix("docs/") || makefile.contains(path)
            #expect(isInstalled, "make install does not know \(path)")
            for link in page.links where !link.contains("://") {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let target = parts[0].isEmpty ? path : Page.resolve(parts[0], from: path)
                #expect(SourceTree.text(of: target) != nil, "\(path) links to \(link), which is not there")
                guard parts.count > 1 else { continue }
                #expect(try Page(target).anchors.contains(parts[1]), "\(path) links to \(link): no such heading")
            }
        }
    }

    @Test("README has about 180 lines")
    func readme() throws {
        let lines = try Page("README.md").lines
        #expect(lines.count <= 190, "\(lines.count) lines: what a newcomer need not know at once belongs in docs/")
    }

    @Test("a page is read as what it is: headings, tables, links, and code that is none of them")
    func reading() {
        let page = Page(
            text: "# A b\n\n```\n# [no](no)\n```\n## `c.d` e\n[x](y.md#z), [v](#w)\n| k |\n| --- |\n| `m` n |\n")
        #expect(page.anchors == ["a-b", "cd-e"] && page.links == ["y.md#z", "#w"])
        #expect(page.rows(under: "`c.d` e") == [["`m` n"]] && page.rows(under: "A b").isEmpty)
        #expect(Page.code(in: "`m`, n, `o`") == ["m", "o"])
        #expect(Page.resolve("../b.md", from: "docs/a.md") == "b.md" && Page.resolve("c.md", from: "a.md") == "c.md")
    }
}

/// One Markdown page of the repository, as far as tests ask.
struct Page {
    /// All pages that people read, from the repository's folder.
    static var all: [String] {
        SourceTree.entries(of: ".").filter { $0.hasSuffix(".md") }.sorted()
            + SourceTree.entries(of: "docs").filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }.sorted()
    }

    /// Its lines.
    let lines: [String]
    /// For each line, whether it stands in a block of code.
    private let isCode: [Bool]

    /// The page at `path`.
    init(_ path: String) throws {
        self.init(text: try #require(SourceTree.text(of: path), "there is no \(path)"))
    }

    /// A page that says `text`.
    init(text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var isInCode = false
        isCode = lines.map { line in
            defer { if line.hasPrefix("```") { isInCode.toggle() } }
            return isInCode || line.hasPrefix("```")
        }
    }

    private var prose: [String] { zip(lines, isCode).filter { !$0.1 }.map { $0.0 } }

    private static func heading(_ line: String) -> String? {
        let text = line.drop { $0 == "#" }
        return text.count < line.count && text.first == " " ? String(text.dropFirst()) : nil
    }

    /// The cells of the tables under `heading`, up to the next one, without the tables' heads; without it, all.
    func rows(under heading: String? = nil) -> [[String]] {
        var rows: [[String]] = []
        var isUnder = heading == nil
        var isBody = false
        for line in prose {
            if let found = Self.heading(line) { isUnder = heading.map { $0 == found } ?? true }
            guard line.hasPrefix("|") else {
                isBody = false
                continue
            }
            if line.hasPrefix("| ---") {
                isBody = true
            } else if isBody, isUnder {
                rows.append(
                    line.split(separator: "|").map { cell in
                        String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
                    })
            }
        }
        return rows
    }

    /// What a link to one of its headings says behind `#`: lower case, hyphens for spaces, no other punctuation.
    var anchors: [String] {
        prose.compactMap(Self.heading).map { heading in
            heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
                .split(separator: " ", omittingEmptySubsequences: false).joined(separator: "-")
        }
    }

    /// Where its links lead.
    var links: [String] {
        prose.flatMap { line in
            line.split(separator: "](").dropFirst().compactMap { rest in
                rest.firstIndex(of: ")").map { String(rest[..<$0]) }
            }
        }
    }

    /// What stands between backticks.
    static func code(in text: String) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// The file that `link` means on the page at `path`.
    static func resolve(_ link: String, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in link.split(separator: "/") {
            if part == ".." { _ = parts.popLast() } else { parts.append(String(part)) }
        }
        return parts.joined(separator: "/")
    }
}
