import BelfryAppGroup
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("Callers' pictures, from a hostile server") struct Pictures {
        let server: HostileServer

        init() throws { server = try HostileServer() }

        private func phone(_ settings: [String: String] = [:]) throws -> Phone {
            let usual = [
                "BELFRY_AVATAR_ALLOW": "127.0.0.0/8 localhost", "SSL_CERT_FILE": server.authority,
                "BELFRY_AVATAR_TIMEOUT": "4s", "BELFRY_RING_DURATION": "7s",
            ]
            return try Phone(usual.merging(settings) { $1 })
        }

        /// What is asked for, and what comes of it: nil for a picture.
        private var scenarios: [(url: String, reason: String?)] {
            let plain: [(String, String?)] = [
                ("png", nil), ("jpeg", nil), ("gif", nil), ("webp", nil), ("animated.gif", nil), ("rotated.jpeg", nil),
                ("polyglot", nil), ("as/text/html/png", nil), ("largest", nil), ("unsized/png", nil),
                ("chunked/png", nil), ("redirect/1/png", nil), ("redirect/3/png", nil),
                ("status/404", "http-status"), ("status/500", "http-status"), ("redirect/4/png", "too-many-redirects"),
                ("loop", "too-many-redirects"), ("redirect-to?file:///etc/passwd", "bad-scheme"),
                ("redirect-to?http://192.168.0.1/a.png", "address-refused"), ("half/png", "transfer-failed"),
                ("promise/1024/20M", "decode-failed"), ("promise/20971520/png", "too-large"),
                ("unsized/20M", "too-large"), ("endless", "too-large"), ("gzip-bomb", "not-an-image"),
                ("as/image/png/html", "not-an-image"), ("as/image/png/svg", "not-an-image"),
                ("truncated/png", "decode-failed"), ("60000", "too-many-pixels"),
            ]
            // Each from a host of its own, since two at once are fetched from one.
            return plain.enumerated().map { (server.url($1.0, host: $0 + 1), $1.1) } + [
                (server.secureURL("png", "good"), nil), (server.secureURL("png", "expired"), "tls-failed"),
                (server.secureURL("png", "elsewhere"), "tls-failed"),
                ("http://192.168.0.1/a.png", "address-refused"), ("http://127.0.0.1:1/a.png", "connect-failed"),
                ("file:///etc/passwd", "bad-scheme"), ("no address", "bad-url"),
                ("http://a:b@127.0.0.1/a.png", "credentials-in-url"),
            ]
        }

        @Test("each rings first and is delivered with the picture or the reason; nothing is left")
        func hostile() throws {
            // However busy the machine is, each is fetched in time and still rings as the last is delivered.
            let phone = try phone([
                "BELFRY_AVATAR_TIMEOUT": "25s", "BELFRY_EXPIRY_BUDGET": "120s", "BELFRY_RING_DURATION": "120s",
            ])
            let calls = try scenarios.enumerated().map { index, scenario in
                (scenario, try phone.call("A", "\"callerAvatar\": \"\(scenario.url)\"", group: "group.\(index)"))
            }
            for (_, call) in calls { try call.wait(for: "delivered", within: 60_000) }
            for index in calls.indices { try phone.hangUp("A", group: "group.\(index)").story() }
            for ((url, reason), call) in calls {
                #expect(call.story().suffix(2) == ["ended hangup cancelled", "missed"], "\(url)")
                let names = call.events.map(\.name).filter { $0 != "tick" && $0 != "warning" }
                #expect(names.prefix(4) == ["received", "ringing", "attachment", "delivered"], "\(url)")
                #expect(call.skipReason == reason, "\(url): \(call.skipDetail ?? "")")
                #expect(call.pictures(in: "delivered").count == (reason == nil ? 1 : 0), "\(url)")
                #expect(call.pictures(in: "missed") == call.pictures(in: "delivered"), "\(url)")
                for path in call.pictures(in: "delivered") {
                    #expect(bytes(of: path).starts(with: [0x89, 0x50, 0x4E, 0x47]), "\(url)")
                }
            }
            try expectNothingLeft(of: phone, pictures: scenarios.count { $0.reason == nil })
        }

        @Test("what does not come in time delays no tick, and is waited for no longer than that") func late() throws {
            let phone = try phone()
            // Nothing, then byte by byte the body, or the head.
            let calls = try ["never", "drip/png", "drip-head"].enumerated().map { index, path in
                let url = server.url(path, host: index + 1)
                return try phone.call("A", "\"callerAvatar\": \"\(url)\"", group: "group.\(index)")
            }
            for call in calls {
                #expect(
                    call.story() == [
                        "received call-request", "ringing loud", "attachment", "delivered extension", "ended timeout",
                        "missed",
                    ])
                #expect(call.skipReason == "timeout", "\(call.skipDetail ?? "")")
                #expect(call.ticks.count > 3, "of six; who waits for it has three")
            }
            try expectNothingLeft(of: phone, pictures: 0)
        }

        @Test("a hangup delivers at once without it, and the missed call is shown with it") func hangup() throws {
            let phone = try phone()
            let call = try phone.call("A", "\"callerAvatar\": \"\(server.url("late/2/png"))\"")
            try call.wait(for: "ringing")
            _ = try phone.hangUp("A").story()
            #expect(
                call.story() == [
                    "received call-request", "ringing loud", "attachment", "delivered extension",
                    "ended hangup cancelled", "missed",
                ])
            #expect(call.skipReason == "ended")
            #expect(call.pictures(in: "delivered") == [])
            #expect(call.pictures(in: "missed").count == 1)
            try expectNothingLeft(of: phone, pictures: 1)
        }

        @Test("R17: a stop ends the fetch") func stop() throws {
            let phone = try phone()
            let call = try phone.call("A", "\"callerAvatar\": \"\(server.url("never"))\"")
            try call.wait(for: "ringing")
            #expect(waitUntil { !fetchers(of: phone).isEmpty })
            try phone.systemctl("stop", "\(phone.name)@*.service")
            #expect(
                call.story() == [
                    "received call-request", "ringing loud", "attachment", "delivered stopped", "ended stopped",
                    "missed",
                ])
            try expectNothingLeft(of: phone, pictures: 0)
        }

        @Test("a worker that is killed leaves no fetcher, and a fetcher that is killed leaves the call") func killed()
            throws
        {
            let phone = try phone()
            let call = try phone.call("A", "\"callerAvatar\": \"\(server.url("never"))\"")
            #expect(waitUntil { !fetchers(of: phone).isEmpty })
            for fetcher in fetchers(of: phone) { kill(fetcher, SIGKILL) }
            try call.wait(for: "tick")
            try phone.hangUp("A").story()
            #expect(call.story().suffix(2) == ["ended hangup cancelled", "missed"])
            #expect(call.skipReason == "fetcher-crashed")
            let lost = try phone.call("B", "\"callerAvatar\": \"\(server.url("never"))\"")
            #expect(waitUntil { !fetchers(of: phone).isEmpty })
            let worker = try #require(phone.worker(of: "B"))
            kill(worker, SIGKILL)
            _ = lost.story()
            #expect(waitUntil { fetchers(of: phone).isEmpty })
        }

        @Test("40 calls with pictures ring at once: all are delivered with them") func crowd() throws {
            let phone = try phone([
                "BELFRY_AVATAR_TIMEOUT": "25s", "BELFRY_EXPIRY_BUDGET": "120s", "BELFRY_RING_DURATION": "120s",
                "BELFRY_MAX_CALLS": "20",
            ])
            var calls: [Client] = []
            for index in 0..<40 {
                // Twenty are fetched at once: a busy machine does not fetch more within the longest timeout.
                if index >= 20 { try calls[index - 20].wait(for: "delivered", within: 60_000) }
                // Every other one is of the same caller.
                let url = server.url(index % 2 == 0 ? "png" : "png?\(index)")
                let group = "group.\(index % 2)"
                calls.append(try phone.call("call-\(index)", "\"callerAvatar\": \"\(url)\"", group: group))
            }
            for call in calls.suffix(20) { try call.wait(for: "delivered", within: 60_000) }
            #expect(calls.compactMap(\.skipReason) == [])
            #expect(calls.count { $0.pictures(in: "delivered").count == 1 } == 40)
            #expect(try server.requestCount(of: "png") == 1)
            for number in 0..<2 {
                _ = try phone.push(Phone.payload(#""type": 2"#, "", group: "group.\(number)")).story()
            }
            for call in calls {
                // So many may keep the group file for longer than one waits for it.
                let story = call.story(within: 60_000).filter { $0 != "warning group-locked" }
                #expect(story.suffix(2) == ["ended hangup cancelled", "missed"])
            }
            try expectNothingLeft(of: phone, pictures: 40)
        }

        @Test("the journal names of an address its scheme and host alone") func journal() throws {
            let phone = try phone(["BELFRY_RING_DURATION": "1s"])
            let call = try phone.call("A", "\"callerAvatar\": \"\(server.url("status/404?secret"))\"")
            _ = call.story()
            let id = try #require(call.events.first?.id)
            var entry = ""
            #expect(
                try waitUntil {
                    entry = try run("/usr/bin/journalctl", ["--user", "-o", "verbose", "BELFRY_ID=\(id)"]).output
                    return entry.contains("picture from http://127.0.0.1")
                })
            #expect(!entry.contains("secret"))
        }

        private func expectNothingLeft(of phone: Phone, pictures: Int) throws {
            #expect(try waitUntil { try phone.livingWorkers() == 0 })
            #expect(fetchers(of: phone).isEmpty)
            let kept = try run("/usr/bin/find", ["\(phone.state.path)/attachments", "-type", "f"]).output
                .split(separator: "\n")
            #expect(kept.count == pictures)
            #expect(kept.allSatisfy { $0.hasSuffix("/caller.png") })
            let cached = try run("/usr/bin/find", ["\(phone.state.path)/avatars", "-type", "f"]).output
                .split(separator: "\n")
            #expect(cached.allSatisfy { $0.contains("/locks/slot-") || $0.hasSuffix(".picture") })
            #expect(cached.allSatisfy { !$0.contains("/locks/") || $0.contains("/slot-") })
        }

        /// The fetchers of the phone's workers; other tests have theirs.
        private func fetchers(of phone: Phone) -> [Int32] {
            let found = try? run("/usr/bin/pgrep", ["-x", "belfry-avatar"])
            let all = found?.output.split(separator: "\n").compactMap { Int32($0) } ?? []
            return all.filter { contents(of: "/proc/\($0)/cgroup").contains("/\(phone.name)@") }
        }
    }
}

extension Client {
    /// Why there is no picture; nil where there is one.
    var skipReason: String? { skip?.reason }
    var skipDetail: String? { skip?.detail }

    private var skip: (reason: String, detail: String)? {
        for event in events {
            if case .attachment(let attachment) = event.body, case .skipped(let reason, let detail) = attachment.outcome
            {
                return (reason.rawValue, detail)
            }
        }
        return nil
    }

    /// The paths of the pictures in the content of the event `name`.
    func pictures(in name: String) -> [String] {
        events.flatMap { event -> [String] in
            switch event.body {
            case .delivered(_, let content, _) where name == "delivered": content.attachments.map(\.path)
            case .missed(_, let content, _) where name == "missed": content.attachments.map(\.path)
            default: []
            }
        }
    }
}
