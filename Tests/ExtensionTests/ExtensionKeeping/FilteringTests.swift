import BelfryAppGroup
import BelfryJSON
import BelfryPropertyList
import BelfryProtocol
import BelfryTerms
import Support
import Testing

/// The filtering entitlement, what an app's notification centre has then and else, and what iOS would not play.
@Suite struct FilteringTests {
    private static let empty = """
        content["title"] = content["subtitle"] = content["body"] = ""
        content["badge"] = 7
        reply(content)
        sys.exit(0)
        """
    private static let unchanged = "reply(content)\nsys.exit(0)"

    private func played(_ code: String, isEntitled: Bool = true) -> PlayedExtension {
        PlayedExtension(code, entitlements: isEntitled ? ["filtering"] : [])
    }

    /// The titles that the app's notification centre shows, and the badge.
    private func centre(_ played: PlayedExtension) throws -> (titles: [String], badge: Int64?) {
        let app = try #require(GroupName("com.example.played"))
        let state = StateDirectory(path: "\(played.folder.path)/state/centers")
        let root = GroupFile(state: state, group: app).snapshot().root
        var titles: [String] = []
        for case .data(let bytes) in root["delivered"]?.arrayValue ?? [] {
            let content = try JSONValue.parse(bytes).objectValue?["content"]?.objectValue
            titles.append(content?["title"]?.stringValue ?? "none")
        }
        return (titles, root["badge"]?.boundedInteger(in: 0...Int64.max))
    }

    private func warnings(_ events: [Event]) -> [String] { events.compactMap { $0.warning?.rawValue } }

    @Test("R2 a reply without text shows nothing, and its badge counts; without the entitlement the original is shown")
    func empty() throws {
        for isEntitled in [true, false] {
            let played = played(Self.empty, isEntitled: isEntitled)
            let events = try played.events()
            let delivered = try #require(events.first { $0.deliverer != nil })
            #expect(delivered.isShown == !isEntitled && delivered.deliverer?.known == .extension)
            #expect(delivered.content?.title == (isEntitled ? "" : "t"))
            #expect(warnings(events).contains("no-alert-text") == !isEntitled)
            let centre = try centre(played)
            #expect(centre.titles == (isEntitled ? [] : ["t"]) && centre.badge == (isEntitled ? 7 : nil))
        }
    }

    @Test("R3 a crash, and a budget that is over, show nothing", arguments: ["crash", "expiry"])
    func noReply(by: String) throws {
        let payload = #"{"aps":{"alert":{"title":"t"},"badge":3,"mutable-content":1}}"#
        for isEntitled in [true, false] {
            let played = played(by == "crash" ? "sys.exit(3)" : "time.sleep(600)", isEntitled: isEntitled)
            let events = try played.events(of: payload, budget: "1s")
            let delivered = try #require(events.first { $0.deliverer != nil })
            #expect(delivered.isShown == !isEntitled && delivered.deliverer?.rawValue == by)
            #expect(delivered.content?.title == "t")
            let centre = try centre(played)
            #expect(centre.titles == (isEntitled ? [] : ["t"]) && centre.badge == 3)
        }
    }

    @Test(
        "R1 a push without text is let through to it if it is an alert",
        arguments: [
            (true, "alert", nil), (false, "alert", "no-alert-text"), (true, "background", "background"),
            (true, "voip", "voip"),
        ] as [(Bool, String, String?)])
    func letThrough(isEntitled: Bool, type: String, why: String?) throws {
        let played = played(
            """
            content["title"] = "decrypted"
            reply(content)
            sys.exit(0)
            """, isEntitled: isEntitled)
        let payload = #"{"pushType":"\#(type)","payload":{"aps":{"mutable-content":1,"sound":"default"},"x":1}}"#
        let events = try played.events(of: payload)
        guard case .received(let received)? = events.first?.body else {
            Issue.record("\(events)")
            return
        }
        #expect(received.why?.rawValue == why)
        #expect(events.delivered?.title == (why == nil ? "decrypted" : ""))
    }

    @Test("what is delivered as it came is in the centre, in place of what had its identifier") func centre() throws {
        let played = PlayedExtension(Self.unchanged)
        for title in ["a", "b", "c"] {
            let id = title == "c" ? "a" : title
            let payload = #"{"collapseId":"\#(id)","payload":{"aps":{"alert":{"title":"\#(title)"}}}}"#
            _ = try played.events(of: payload)
        }
        _ = try played.events(of: #"{"pushType":"background","payload":{"aps":{"content-available":1,"badge":2}}}"#)
        let centre = try centre(played)
        #expect(centre.titles == ["b", "c"] && centre.badge == 2)
    }

    @Test("60 MB held for 150 ms are told of, and end a process whose memory is enforced", arguments: [false, true])
    func memoryPeak(isEnforced: Bool) throws {
        let played = PlayedExtension(
            """
            # Between two looks, which are made each half second from the process's start.
            start = int(open("/proc/self/stat").read().split()[21]) / os.sysconf("SC_CLK_TCK")
            while not 0.05 < (time.clock_gettime(time.CLOCK_BOOTTIME) - start) % 0.5 < 0.15:
                time.sleep(0.005)
            held = b"x" * 60_000_000
            time.sleep(0.15)
            del held
            reply(content)
            # As an extension does, it is there while its reply is read.
            time.sleep(2)
            sys.exit(0)
            """)
        let enforced: [String: String?] = ["BELFRY_EXTENSION_ENFORCE_MEMORY": isEnforced ? "yes" : nil]
        let events = try played.events(environment: enforced)
        #expect(warnings(events).contains("memory"))
        #expect(events.first { $0.deliverer != nil }?.deliverer?.known == (isEnforced ? .crash : .extension))
    }

    @Test("what iOS would not play, and what is critical without the entitlement, is warned of, and delivered")
    func warned() throws {
        let code = """
            content["sound"] = {"name": "nope.caf", "critical": True}
            reply(content)
            sys.exit(0)
            """
        for (entitlements, expected) in [
            ([], ["critical-unentitled", "sound-unplayable"]), (["critical-alerts"], ["sound-unplayable"]),
        ] {
            let events = try PlayedExtension(code, entitlements: entitlements).events()
            #expect(warnings(events) == expected)
            #expect(events.delivered?.sound?.name == "nope.caf")
        }
        #expect(try warnings(PlayedExtension(Self.unchanged).events()) == [])
    }
}
