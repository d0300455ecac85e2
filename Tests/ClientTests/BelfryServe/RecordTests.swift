import BelfryJSON
import BelfrySyscalls
import Glibc
import Support
import Testing

/// `belfry serve --record` and `belfry watch --pushes`: what arrives, for any language.
@Suite struct RecordTests {
    private let place = TemporaryFolder()
    private var file: String { "\(place.path)/record" }

    private func serve(_ words: [String], _ script: String) throws -> ProgramRun {
        try ProgramRun(
            testedProgram("belfry"), ["serve"] + words + ["--", "sh", "-c", script, testedProgram("belfry")],
            environment: [
                "TMPDIR": place.path, "XDG_RUNTIME_DIR": nil, "BELFRY_SOCKET": nil, "BELFRY_SOUND": "none",
            ])
    }

    private func objects(_ lines: [String]) throws -> [JSONObject] {
        try lines.map { try #require(try JSONValue.parse(Array($0.utf8)).objectValue) }
    }

    private func recorded() throws -> [JSONObject] {
        let text = String(decoding: try readFile(at: file, bytesMax: 1 << 20).bytes, as: UTF8.self)
        return try objects(text.split(separator: "\n").map(String.init))
    }

    private static let alert = #"{"aps": {"alert": {"title": "FINDME"}, "mutable-content": 1}}"#

    @Test("FILE has what arrived, with its content, once COMMAND has ended; what it had before is gone")
    func record() throws {
        place.write(Array("old\n".utf8), to: "record")
        let run = try serve(
            ["--record", file],
            "echo '\(Self.alert)' | $0 push - && echo nonsense | $0 push -; $0 call --id a --no-follow && exit 5")
        #expect(try run.child.waitUntilExit() == .exited(code: 5))
        let records = try recorded()
        let pushes = records.filter { $0["record"] == "push" }
        try #require(pushes.count == 3)
        #expect(pushes[0]["content"]?.objectValue?["title"] == "FINDME")
        #expect(pushes[1]["content"] == nil && pushes[2]["call"] == "a")
        let ids = pushes.compactMap { $0["id"]?.stringValue }
        let stories = ids.map { id in
            records.filter { $0["id"]?.stringValue == id && $0["record"] != "push" }.compactMap {
                $0["event"]?.stringValue ?? $0["record"]?.stringValue
            }
        }
        #expect(stories[0] == ["received", "delivered", "end"] && stories[1] == ["rejected", "end"], "\(stories)")
        // The call that still rang when COMMAND ended was stopped.
        #expect(stories[2].contains("ended") && stories[2].last == "end")
        #expect(records.filter { $0["record"] == "end" }.allSatisfy { $0["whole"] == true })
    }

    @Test("a pipe whose reader is slow gets every line") func slowReader() throws {
        let script =
            "i=0; while [ $i -lt 40 ]; do echo '\(Self.alert)' | $0 push - >&2; i=$((i+1)); done; echo done >&2"
        let belfry = testedProgram("belfry")
        let words = "serve --record /dev/stdout --log /dev/null -- sh -c \"$1\" \(belfry)"
        // The reader begins once all was pushed: by then a pipe of 4 KiB is long full.
        let run = try ProgramRun(
            "/bin/sh",
            [
                "-c", "'\(belfry)' \(words) 2>$2 | (until grep -q done $2; do :; done; grep -c '\"end\"')", "sh",
                script, file,
            ],
            environment: ["TMPDIR": place.path, "XDG_RUNTIME_DIR": nil, "BELFRY_SOCKET": nil, "BELFRY_SOUND": "none"])
        #expect(try run.child.waitUntilExit() == .exited(code: 0))
        #expect(run.lines() == ["40"])
    }

    @Test(
        "files that cannot be are refused by name",
        arguments: [
            (["--record", "--"], "-- is no file"), (["--record", "a", "--log", "a"], "name one file"),
            (["--record", "/nonexistent/a"], "/nonexistent/a cannot be written"),
            (["--log", "/nonexistent/a"], "/nonexistent/a cannot be written"),
        ])
    func wrongFiles(words: [String], complaint: String) throws {
        let run = try serve(words, "exit 0")
        #expect(try run.child.waitUntilExit() != .exited(code: 0))
        let complaints = run.complaints()
        #expect(complaints.contains { $0.contains(complaint) }, "\(complaints)")
    }

    @Test("of the endpoint it has each request with its headers but authorization, and its answer, joined to its push")
    func endpoint() throws {
        let script = """
            curl -s --cacert $BELFRY_APNS_CA --cert $BELFRY_APNS_CERTIFICATE -H "apns-topic: $BELFRY_APNS_BUNDLE_ID" \
            -H 'authorization: bearer SECRET' -d '\(Self.alert)' $BELFRY_APNS_URL/3/device/$BELFRY_APNS_TOKEN
            curl -s --cacert $BELFRY_APNS_CA --cert $BELFRY_APNS_CERTIFICATE -H "apns-topic: other" \
            -d '{"aps":{}}' $BELFRY_APNS_URL/3/device/$BELFRY_APNS_TOKEN
            exec 3<"$RECORD"
            until grep -q '"end"' "$RECORD"; do :; done
            """
        let run = try serve(["--apns", "--record", file], "RECORD='\(file)'\n" + script)
        #expect(try run.child.waitUntilExit() == .exited(code: 0))
        let records = try recorded()
        let requests = records.filter { $0["record"] == "request" }
        let statuses = requests.compactMap { $0["status"]?.integerValue }
        #expect(statuses == [200, 400])
        #expect(requests.last?["reason"] == "TopicDisallowed" || requests.last?["reason"] == "DeviceTokenNotForTopic")
        let request = try #require(requests.first)
        #expect(request["headers"]?.objectValue?["apns-topic"] == "com.example.phone")
        #expect(request["payload"] == .string(Self.alert) && request["headers"]?.objectValue?.members.count == 1)
        #expect(records.allSatisfy { !String(decoding: $0.serialized(), as: UTF8.self).contains("SECRET") })
        let story = records.filter { $0["id"] == request["id"] }
        let kinds = story.compactMap { $0["record"]?.stringValue }
        #expect(kinds.starts(with: ["request", "push", "event"]), "\(kinds)")
        #expect(story.allSatisfy { $0["apnsId"] == request["apnsId"] && $0["device"] == request["device"] })
        #expect(story.last?["record"] == "end")
    }

    @Test("a FILE that cannot be written is an error before anything runs") func unwritable() throws {
        let run = try serve(["--record", "/nosuch/file"], "echo ran")
        #expect(run.lines().isEmpty && run.complaint()?.contains("/nosuch/file") == true)
        #expect(try run.child.waitUntilExit() == .exited(code: 69))
        let full = try serve(["--record", "/dev/full"], "echo '\(Self.alert)' | $0 push -; echo ran")
        #expect(full.lines().last == "ran")
        #expect(full.complaints().filter { $0.contains("not all that arrives is recorded") }.count == 1)
    }

    @Test("watch prints the same lines from its first on, of one push if that is wanted, and leaves nothing")
    func watch() throws {
        let id = "6B29FC40-CA47-1067-B31D-00DD010662DA"
        let script = """
            next() { read -r line <&3; printf '%s\\n' "$line"; }
            mkfifo w; "$0" watch --pushes --json --id \(id) >w & exec 3<w; next
            echo '\(Self.alert)' | "$0" push - >/dev/null
            echo '{"id": "\(id)", "payload": \(Self.alert)}' | "$0" push - >/dev/null
            next; next; next; next; kill $!; wait $!; echo rc $?; ls $BELFRY_RUNTIME_DIRECTORY/followers
            """
        let run = try serve([], "cd '\(place.path)'\n" + script)
        let lines = run.lines()
        #expect(lines.first == #"{"record":"following"}"# && lines.last == "rc 0", "\(lines)")
        let records = try objects(lines.dropLast())
        #expect(records.dropFirst().allSatisfy { $0["id"]?.stringValue == id.lowercased() })
        let kinds = records.compactMap { $0["record"]?.stringValue }
        #expect(kinds == ["following", "push", "event", "event", "end"])
        #expect(try run.child.waitUntilExit() == .exited(code: 0))
    }

    @Test("watch tells people, and escapes what comes from outside; other options are for pushes alone")
    func people() throws {
        let script = """
            next() { read -r line <&3; printf '%s\\n' "$line"; }
            mkfifo w; "$0" watch --pushes >w & exec 3<w
            until ls $BELFRY_RUNTIME_DIRECTORY/followers/* >/dev/null 2>&1; do :; done
            printf %s '{"aps": {"alert": {"title": "A\\u001b[31m"}}}' | "$0" push - >/dev/null; next; next; next; next
            kill $!; wait
            "$0" watch --id x; echo rc $?
            """
        let run = try serve([], "cd '\(place.path)'\n" + script)
        let lines = run.lines()
        try #require(lines.count == 5 && lines.last == "rc 64", "\(lines)")
        let words = lines.dropLast().map { $0.split(separator: " ").dropFirst().first ?? "" }
        #expect(words == ["push", "received", "delivered", "end"])
        #expect(lines[0].contains("alert A\\u{1b}[31m") && !lines.joined().contains("\u{1B}[31m"), "\(lines)")
    }
}
