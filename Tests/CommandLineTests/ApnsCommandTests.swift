import BelfryAppGroup
import BelfryCommandLine
import BelfryDevices
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Glibc
import Support
import Testing

/// `belfry-apns`, which `belfry apns` and `belfry device` become, as people run it.
@Suite struct ApnsCommandTests {
    private let folder = TemporaryFolder()

    private var state: String { "\(folder.path)/state" }

    /// What it prints and complains of.
    private func lines(
        _ words: [String], exit status: ProgramStatus = .done, environment: [String: String] = [:]
    ) throws -> [String] {
        let own = [
            "BELFRY_STATE_DIRECTORY": state, "TZ": "UTC", "BELFRY_APNS_SOCKET": "\(folder.path)/absent",
        ].merging(environment) { $1 }
        let run = try ProgramRun(testedProgram("belfry-apns"), words, environment: own.mapValues { $0 })
        let lines = run.lines() + run.complaints()
        #expect(try run.child.waitUntilExit() == .exited(code: status.rawValue), "\(words) \(lines)")
        return lines
    }

    private func object(_ words: [String]) throws -> JSONObject {
        let lines = try lines(words)
        return try #require(try JSONValue.parse(Array((lines.first ?? "").utf8)).objectValue, "\(lines)")
    }

    @Test("add prints the tokens, which the registry knows; list, offline, online and remove see the device")
    func devices() throws {
        let registry = try TokenRegistry(state: StateDirectory(path: state))
        let added = try lines([
            "device", "add", "--bundle-id", "com.example.phone", "--group=group.a", "--environment", "sandbox",
        ])
        let words = added.map { $0.split(separator: " ").map(String.init) }
        try #require(words.map { $0[0] } == ["device", "alert", "voip", "group"])
        #expect(words[3] == ["group", "group.a"])
        let (id, alert, voip) = (words[0][1], words[1][1], words[2][1])
        guard case .registered(let registration)? = DeviceToken(hex: voip).map(registry.standing) else {
            return #expect(Bool(false), "the token is not known")
        }
        #expect(registration.topic == "com.example.phone.voip" && registration.environment == .development)
        let listed = "\(id) com.example.phone group.a development online"
        #expect(try lines(["device", "list"]) == [listed])
        #expect(try lines(["device", "list", "--tokens"]) == ["\(listed) \(alert) \(voip)"])
        _ = try lines(["device", "offline", id])
        #expect(registry.device(id)?.isOffline == true)
        _ = try lines(["device", "online", voip.uppercased()])
        #expect(registry.device(id)?.isOffline == false)
        _ = try lines(["device", "remove", id])
        #expect(try lines(["device", "list"]) == ["\(id) com.example.phone group.a development removed"])
        #expect(
            try lines(["device", "offline", id], exit: .notFound) == [
                "belfry: the device \(id) was removed: see belfry device list"
            ])
        let json = try lines(["device", "list", "--json"])
        guard case .object(let object)? = try json.first.map({ try JSONValue.parse(Array($0.utf8)) }) else {
            return #expect(Bool(false), "\(json)")
        }
        #expect(object["voipToken"]?.stringValue == voip && object["alertToken"]?.stringValue == alert)
        #expect(object["state"] == "removed")
    }

    @Test("of a device that is added as JSON the group is told if it has one") func devicesAsJSON() throws {
        let add = ["device", "add", "--bundle-id", "com.example.phone", "--json"]
        #expect(try object(add)["appGroup"] == nil)
        #expect(try object(add + ["--group", "group.a"])["appGroup"] == "group.a")
        #expect(try object(add)["payload"] == nil)
        #expect(try object(add + ["--payload", "flutter-callkit-incoming"])["payload"] == "flutter-callkit-incoming")
        #expect(try lines(["device", "list"]).contains { $0.hasSuffix(" com.example.phone - production online") })
    }

    @Test(
        "a command line that is wrong is told what is wrong",
        arguments: [
            (["device"], "belfry: belfry device needs one of add, list, remove, offline, online: see"),
            (
                ["device", "ad"],
                "belfry: belfry device needs one of add, list, remove, offline, online: did you mean add?"
            ),
            (["device", "add"], "belfry: belfry device add needs a bundle identifier: --bundle-id com.example.phone"),
            (["device", "add", "--bundle-id", "a", "--group", "/"], "belfry: the name of an app group is 1 to 128"),
            (
                ["device", "add", "--bundle-id", "a", "--payload", "x"],
                "belfry: --payload is one of belfry, twilio, flutter-callkit-incoming, callkeep, stream or sendbird"
            ),
            (["device", "add", "--bundle-id", "a", "--environment", "x"], "belfry: --environment is production or"),
            (
                ["device", "add", "--bundle-id", "a", "--count", "0"],
                "belfry: --count is a whole number from 1 to 100000"
            ),
            (
                ["device", "add", "--bundle-id", "a", "--count", "x"],
                "belfry: --count is a whole number from 1 to 100000"
            ),
            (
                ["device", "add", "--bundle-id", "a.b.voip"],
                "belfry: a.b.voip is a topic, that of calls: leave .voip away"
            ),
            (["device", "add", "--bundle"], "belfry: --bundle-id needs a value"),
            (["device", "add", "--bunch"], "belfry: there is no option --bunch"),
            (["device", "add", "--group"], "belfry: --group needs a value"),
            (["device", "list", "x"], "belfry: belfry device list takes no argument"),
            (["device", "remove"], "belfry: belfry device remove takes one device"),
            (["apns", "log", "a", "b"], "belfry: belfry apns log takes one id at most"),
            (["apns", "lok"], "belfry: there is no such command"),
            (["apns", "list", "x"], "belfry: belfry apns list x: see belfry apns --help"),
            (["apns", "key", "add", "AuthKey_A.p8"], "belfry: a key is a team's: --team ID"),
            (
                ["apns", "key", "add", "a.p8", "--team", "T"],
                "belfry: the name a.p8 does not tell the key's id: --key-id"
            ),
            (
                ["apns", "key", "add", "/tmp/AuthKey_AAAAAAAAAA (1).p8", "--team", "T"],
                "belfry: the name AuthKey_AAAAAAAAAA (1).p8 does not tell the key's id: --key-id ID"
            ),
            (
                ["apns", "credentials", "new", "--bundle-id", "com.x.voip"],
                "belfry: com.x.voip is a topic, that of calls: leave .voip away"
            ),
            (
                ["apns", "credentials", "new", "--bundle-id", "com..x"],
                "belfry: com..x is no bundle identifier: each dot"
            ),
            (
                ["apns", "credentials", "new", "--bundle-id", "a", "--key-type", "dsa"],
                "belfry: --key-type is rsa or ec"
            ),
            (["apns", "credentials", "new"], "belfry: credentials are for an app: --bundle-id com.example.phone"),
            (["apns", "credentials", "new", "--bundle-id", "a b"], "belfry: a b is no bundle identifier"),
            (["apns", "fail"], "belfry: belfry apns fail needs what to answer: --status 503"),
            (["apns", "fail", "--status", "503"], "belfry: belfry apns fail needs what to answer"),
            (["apns", "fail", "--status", "199", "--reason", "a"], "belfry: belfry apns fail needs what to answer"),
            (["apns", "fail", "--status", "200", "--token", "a"], "belfry: --token is a device token"),
            (["apns", "fail", "--status", "200", "--times", "0"], "belfry: --times is a whole number from 1"),
            (["apns", "fail", "--status", "200", "--delay", "-1"], "belfry: --delay is a number of seconds"),
            (["apns", "goaway", "x"], "belfry: belfry apns goaway takes no argument"),
        ])
    func wrong(words: [String], message: String) throws {
        let lines = try lines(words, exit: .usage)
        #expect(lines.first?.hasPrefix(message) == true && lines.count == 1, "\(lines)")
    }

    @Test("setup tells the names that the endpoint has, and whether clients have to be told anew") func setUp() throws {
        var name = [CChar](repeating: 0, count: 256)
        try checked("gethostname") { unsafe gethostname(&name, name.count - 1) }
        let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let own = host == "localhost" ? "no name of this machine" : host
        for standing in ["which is new: no client has it yet", "as before"] {
            let lines = try lines(["apns", "setup"])
            #expect(lines.first == "The endpoint has a certificate with Apple's names, localhost and \(own).")
            #expect(lines.dropFirst().first?.hasSuffix("/credentials/ca.pem, \(standing).") == true, "\(lines)")
        }
    }

    @Test("who may push is listed, and told of once it may no more") func credentials() throws {
        let minted = try lines(["apns", "credentials", "new", "--bundle-id", "com.example.phone", "--team", "TEAM"])
        #expect(
            minted.map { $0.prefix(13) } == [
                "key          ", "key id       ", "team         ", "certificate  ", "authority    ",
            ])
        let values = minted.map { String($0.dropFirst(13)) }
        #expect(values[2] == "TEAM" && values.dropLast().last?.hasSuffix("-\(values[1]).pem") == true)
        for index in [0, 3, 4] { #expect(unsafe access(values[index], R_OK) == 0) }
        let suffixes = [
            "", ".voip", ".complication", ".pushkit.fileprovider", ".location-query", ".push-type.liveactivity",
            ".voip-ptt", ".push-type.widgets", ".push-type.controls",
        ]
        let own = suffixes.map { "com.example.phone\($0)" }.joined(separator: ",")
        let key = "key \(values[1]) team TEAM \(own) both environments"
        let topics = ["", ".voip", ".complication"].map { "com.example.phone\($0)" }.joined(separator: ",")
        let listed = try lines(["apns", "list"])
        #expect(listed.first == key && listed.count == 2)
        let words = try #require(listed.last).split(separator: " ").map(String.init)
        #expect(words.first == "certificate" && Array(words.dropFirst(2)) == [topics, "development,production"])
        let known = try object(["apns", "list", "--json"])
        #expect(known["keys"]?.arrayValue?.count == 1 && known["certificates"]?.arrayValue?.count == 1)
        #expect(try lines(["apns", "revoke", values[1]]) == ["revoked the key \(values[1])"])
        #expect(try lines(["apns", "list"]).map { $0.hasSuffix(" revoked") } == [true, false])
        _ = try lines(["apns", "revoke", words[1]])
        #expect(try lines(["apns", "list"]) == listed.map { "\($0) revoked" })
    }

    @Test("what credentials new makes can be told to another endpoint, with what it is for") func added() throws {
        let words = ["apns", "credentials", "new", "--bundle-id", "com.example.phone", "--environment", "sandbox"]
        let minted = try object(words + ["--json"])
        #expect(minted["team"] == "BELFRYTEAM")
        let (key, certificate) = try (
            #require(minted["key"]?.stringValue), #require(minted["certificate"]?.stringValue)
        )
        let id = try #require(minted["keyId"]?.stringValue)
        let other = ["BELFRY_STATE_DIRECTORY": "\(folder.path)/other"]
        let topics = ["--topic", "a.b,c.d", "--environment", "production"]
        #expect(
            try lines(["apns", "key", "add", key, "--team", "T"] + topics, environment: other) == [
                "key \(id) of team T may push",
                "belfry: warning: the team T has not 10 letters and digits, as Apple's have",
            ])
        #expect(
            try lines(["apns", "key", "add", key, "--team", "TEAMTEAM01", "--key-id", "0"], environment: other) == [
                "key 0 of team TEAMTEAM01 may push",
                "belfry: warning: the key id 0 has not 10 letters and digits, as Apple's have",
            ])
        let added = try lines(["apns", "certificate", "add", certificate], environment: other)
        #expect(added.first?.hasSuffix(" Apple Push Services: com.example.phone may push") == true)
        #expect(added.last == "  in development")
        #expect(
            try lines(["apns", "list"], environment: other).prefix(2) == [
                "key 0 team TEAMTEAM01 all topics both environments", "key \(id) team T a.b,c.d production",
            ])
        #expect(try lines(["apns", "certificate", "add", "\(folder.path)/absent"], exit: .notFound).count == 1)
    }

    private func openssl(_ words: String) throws {
        let run = try ProgramRun("/usr/bin/openssl", words.split(separator: " ").map(String.init))
        let lines = run.lines() + run.complaints()
        #expect(try run.child.waitUntilExit() == .exited(code: 0), "\(words) \(lines)")
    }

    @Test("a certificate that is made has a key of RSA 2048, as Apple's have, or one of P-256")
    func keyTypes() throws {
        for (words, kind) in [([], "RSA"), (["--key-type", "rsa"], "RSA"), (["--key-type", "ec"], "EC")] {
            let minted = try object(["apns", "credentials", "new", "--bundle-id", "a.b", "--json"] + words)
            let certificate = try #require(minted["certificate"]?.stringValue)
            let said = try ProgramRun("/usr/bin/openssl", ["x509", "-noout", "-text", "-in", certificate]).lines()
            let bits = said.contains { $0.contains("Public-Key: (2048 bit)") }
            #expect(bits == (kind == "RSA") && said.contains { $0.contains("id-ecPublicKey") } != bits, "\(said)")
            #expect(said.contains { $0.contains("UID = a.b") })
        }
    }

    @Test("a certificate is taken as portals and key chains hand it out: .cer, .p12 with and without a password")
    func containers() throws {
        let minted = try object(["apns", "credentials", "new", "--bundle-id", "a.b", "--json"])
        let pem = try #require(minted["certificate"]?.stringValue)
        let file = "\(folder.path)/both"
        try openssl("x509 -in \(pem) -outform DER -out \(file).cer")
        try openssl("pkcs12 -export -in \(pem) -out \(file).p12 -passout pass:secret")
        try openssl("pkcs12 -export -in \(pem) -out \(file)-open.p12 -passout pass:")
        try openssl("pkcs12 -export -in \(pem) -nokeys -out \(file)-bare.p12 -passout pass:secret")
        // As key chains write it.
        try openssl("pkcs12 -export -legacy -in \(pem) -out \(file)-old.p12 -passout pass:secret")
        let password = folder.write(Array("secret\r\nmore\n".utf8), to: "password")
        let wrong = folder.write(Array("wrong\n".utf8), to: "wrong")
        let listed = try #require(try lines(["apns", "list"]).last)
        for (name, words) in [
            ("both.cer", []), ("both-open.p12", []), ("both.p12", [password]), ("both-bare.p12", [password]),
            ("both-old.p12", [password]), (pem, []),
        ] {
            let other = ["BELFRY_STATE_DIRECTORY": "\(folder.path)/state-\(randomUUID())"]
            let path = name == pem ? pem : "\(folder.path)/\(name)"
            let options = words.flatMap { ["--password-file", $0] }
            let added = try lines(["apns", "certificate", "add", path] + options, environment: other)
            #expect(added.first?.hasSuffix("Apple Push Services: a.b may push") == true, "\(name) \(added)")
            #expect(try lines(["apns", "list"], environment: other) == [listed])
        }
        #expect(
            try lines(["apns", "certificate", "add", "\(file).p12", "--password-file", wrong], exit: .badNotification)
                == ["belfry: the password does not open the certificate's file"])
        // A file that asks for more work than can be waited for is none.
        var long = try readFile(at: "\(file).p12", bytesMax: 1 << 16).bytes
        // The 2,048 rounds at its end, behind digest and salt, become 2,147,483,647: two bytes more in both sequences.
        let rounds = long.count - 4
        #expect(Array(long.suffix(4)) == [2, 2, 8, 0] && long[rounds - 63] == 0x30 && long[0] == 0x30)
        long.replaceSubrange(rounds..., with: [2, 4, 0x7F, 0xFF, 0xFF, 0xFF])
        long[rounds - 62] += 2
        let count = Int(long[2]) << 8 + Int(long[3]) + 2
        (long[2], long[3]) = (UInt8(count >> 8), UInt8(count & 0xFF))
        let path = folder.write(long, to: "long.p12")
        let said = try lines(["apns", "certificate", "add", path, "--password-file", password], exit: .badNotification)
        #expect(said.first?.hasPrefix("belfry: the certificate cannot be used: there is no certificate") == true)
        // Without a terminal nothing can be asked.
        let program = testedProgram("belfry-apns")
        let run = try ProgramRun(
            "/usr/bin/setsid", ["-w", program, "apns", "certificate", "add", "\(file).p12"],
            environment: ["BELFRY_STATE_DIRECTORY": state])
        #expect(
            run.complaints() == ["belfry: \(file).p12 has a password, and there is no terminal: --password-file FILE"])
    }

    @Test("the password is asked for at the terminal, which does not show it")
    func asked() throws {
        let minted = try object(["apns", "credentials", "new", "--bundle-id", "a.b", "--json"])
        let pem = try #require(minted["certificate"]?.stringValue)
        try openssl("pkcs12 -export -in \(pem) -out \(folder.path)/a.p12 -passout pass:secret")
        let program = testedProgram("belfry-apns")
        // What is typed before the question is asked is thrown away.
        let typing = """
            cd \(folder.path); mkfifo typed
            script -qec '\(program) apns certificate add a.p12' /dev/null <typed |
                { exec 3>typed; head -c 11; echo secret >&3; cat; }
            """
        let run = try ProgramRun(
            "/bin/sh", ["-c", typing],
            environment: ["BELFRY_STATE_DIRECTORY": state])
        let lines = run.lines()
        #expect(
            lines.first?.hasPrefix("password of a.p12: ") == true && lines.contains { $0.contains("may push") },
            "\(lines)")
        #expect(!lines.joined().contains("secret"))
    }

    @Test("a certificate that can never be used is not added, and none writes to the terminal what it likes")
    func unusable() throws {
        let config = """
            [req]
            distinguished_name = dn
            x509_extensions = own
            prompt = no
            string_mask = utf8only
            utf8 = yes
            [dn]
            UID = UID_OF_IT
            CN = a\u{1b}[2Jb
            [own]
            1.2.840.113635.100.6.3.2 = DER:05:00

            """
        for (id, status) in [
            ("com.a\u{1b}]0;owned\u{7}\u{1b}[2J", ProgramStatus.badNotification), ("com.a.voip-ptt", .badNotification),
            ("com.a", .done),
        ] {
            let path = folder.write(Array(config.replacing("UID_OF_IT", with: id).utf8), to: "config")
            try openssl(
                "req -x509 -newkey rsa:2048 -nodes -config \(path) -keyout \(folder.path)/k -out \(folder.path)/c.pem")
            let said = try lines(["apns", "certificate", "add", "\(folder.path)/c.pem"], exit: status)
            #expect(!said.joined().contains("\u{1b}"), "\(said)")
            #expect(
                status == .done || said.first?.hasPrefix("belfry: it can never be used: no topic") == true, "\(said)")
        }
        let garbage = folder.write([0x30, 0x82, 1, 1, 2], to: "garbage")
        for words in [["certificate", "add", garbage], ["key", "add", garbage, "--team", "T", "--key-id", "K"]] {
            #expect(try lines(["apns"] + words, exit: .badNotification).first?.contains("cannot be used") == true)
        }
        #expect(try lines(["apns", "revoke", "nothing"], exit: .notFound).count == 1)
    }

    @Test("a second app needs --group or --share, and add says with whom a device shares its group")
    func sharing() throws {
        func add(_ id: String, _ words: String..., exit: ProgramStatus = .done) throws -> String? {
            try lines(["device", "add", "--bundle-id", id] + words, exit: exit).last
        }
        let named = ["BELFRY_APP_GROUP": "group.calls"]
        #expect(try add("com.d1") == "group  group.belfry")
        #expect(
            try add("com.d2", exit: .usage)
                == "belfry: the group group.belfry is that of com.d1, whose server could hang up its calls: "
                + "--group NAME for one of its own, or --share")
        #expect(try add("com.d1") == "group  group.belfry, shared with com.d1")
        #expect(try add("com.d2", "--share") == "group  group.belfry, shared with com.d1 (2 devices)")
        #expect(try add("com.d2", exit: .usage)?.contains("com.d1 (2 devices), whose") == true)
        #expect(try add("com.d3", "--group", "group.3") == "group  group.3")
        #expect(try add("com.d4", "--group", "group.3") == "group  group.3, shared with com.d3")
        #expect(
            try object(["device", "add", "--bundle-id", "com.d1", "--share", "--json"])["sharedWith"] == [
                "com.d1", "com.d2",
            ])
        // The configured group counts by its name.
        _ = try add("com.d5", "--group", "group.calls")
        let other = try lines(["device", "add", "--bundle-id", "com.d6"], exit: .usage, environment: named)
        #expect(other.first?.contains("the group group.calls is that of com.d1 (3 devices), com.d2, com.d5, ") == true)
        // A device that was removed shares nothing.
        let gone = try #require(try lines(["device", "list"]).first { $0.contains("com.d4") })
        _ = try lines(["device", "remove", String(gone.prefix(36))])
        #expect(try add("com.d7", "--group", "group.3") == "group  group.3, shared with com.d3")
    }

    @Test("10,000 devices are added in 10 s, each a line with its tokens")
    func manyDevices() throws {
        let begin = ContinuousClock.now
        let added = try lines(["device", "add", "--bundle-id", "com.example.phone", "--count", "10000"])
        #expect(ContinuousClock.now - begin < .seconds(10))
        #expect(added.count == 10_000 && Set(added).count == 10_000)
        let words = try #require(added.last).split(separator: " ").map(String.init)
        #expect(words.count == 3 && words[0].count == 36 && words[1].count == 64 && words[2].count == 64)
        #expect(
            try lines(["device", "list", "--tokens"]).contains { $0.hasSuffix(words[1...].joined(separator: " ")) })
    }

    @Test("setup has the names that were added") func names() throws {
        let first = try lines(["apns", "setup", "--name", "vm.local", "--name=192.168.1.7"]).first
        #expect(first?.hasSuffix(", vm.local and 192.168.1.7.") == true, "\(first ?? "")")
        #expect(try lines(["apns", "setup"]).first == first)
        #expect(
            try lines(["apns", "setup", "--name", "a b"], exit: .badNotification) == [
                "belfry: a b is neither a host's name nor an address"
            ])
    }

    @Test("fail and goaway say to the endpoint what is asked for, and complain if it does not take that")
    func testers() throws {
        let token = String(repeating: "ab", count: 32)
        for (words, line) in [
            (["goaway"], #"{"command":"goaway","hard":false}"#),
            (["goaway", "--hard"], #"{"command":"goaway","hard":true}"#),
            (["fail", "--clear"], #"{"command":"clear"}"#),
            (
                ["fail", "--status", "200"],
                #"{"command":"fail","status":200,"reason":"","times":1,"delay":0}"#
            ),
            (
                ["fail", "--status", "503", "--reason", "R", "--token", token, "--times", "2", "--delay", "0.5"],
                #"{"command":"fail","status":503,"reason":"R","times":2,"delay":500000,"token":"\#(token)"}"#
            ),
        ] {
            for (answer, status) in [("ok\n", ProgramStatus.done), ("no\n", .unavailable)] {
                let told = ReceivedBytes()
                let endpoint = ScriptedWorker { connection in
                    var bytes = [UInt8](repeating: 0, count: 4_096)
                    let count = unsafe read(connection, &bytes, bytes.count)
                    told.set(Array(bytes.prefix(max(count, 0))))
                    ScriptedWorker.write(answer, to: connection)
                }
                let lines = try lines(
                    ["apns"] + words, exit: status, environment: ["BELFRY_APNS_SOCKET": endpoint.path])
                #expect(String(decoding: told.bytes, as: UTF8.self) == line + "\n")
                #expect(lines.count == (status == .done ? 0 : 1))
            }
        }
        let absent = try lines(
            ["apns", "goaway"], exit: .unavailable, environment: ["BELFRY_APNS_SOCKET": "\(folder.path)/absent"])
        #expect(absent.first?.hasPrefix("belfry: no endpoint answers: ") == true, "\(absent)")
    }

    @Test("log tells when, which push, and what became of it") func log() throws {
        let log = """
            {"at":1800000000.012345,"id":"AB","step":"accepted","status":200,"type":"alert","topic":"t","device":"d"}
            no line of ours
            {"at":1800000000.9999,"id":"ab","step":"event","event":"silent","code":"busy","detail":"a\\u001bb"}
            {"at":0.5,"id":"cd","step":"received"}

            """
        folder.makeFolder("state/apns")
        folder.write(Array(log.utf8), to: "state/apns/log.jsonl")
        let told = [
            "2027-01-15 08:00:00.012 AB accepted 200 alert t device d",
            #"2027-01-15 08:00:00.999 ab event silent busy: a\u{1b}b"#,
            "1970-01-01 00:00:00.500 cd received",
        ]
        #expect(try lines(["apns", "log"]) == told)
        #expect(try lines(["apns", "log", "aB"]) == Array(told.prefix(2)))
        #expect(try lines(["apns", "log", "--since", "2027-01-15 08:00:00"]) == Array(told.prefix(2)))
        #expect(try lines(["apns", "log", "--since", "2027-01-15 08:00"]) == Array(told.prefix(2)))
        #expect(try lines(["apns", "log", "--since", "2027-01-15 08:01"]).isEmpty)
        #expect(try lines(["apns", "log", "--json", "cd"]) == [#"{"at":0.5,"id":"cd","step":"received"}"#])
    }

    @Test(
        "each command has its help, which says how it is used",
        arguments: [
            ["device"], ["apns", "setup"], ["apns", "log"], ["apns", "fail"], ["apns", "goaway"], ["apns"],
        ])
    func help(words: [String]) throws {
        let lines = try lines(words + ["--help"])
        #expect(lines.first?.hasPrefix("Usage: belfry \(words[0]) ") == true && lines.count > 4, "\(lines)")
    }

    @Test(
        "a state that cannot be used is told as such",
        arguments: [["device", "list"], ["device", "add", "--bundle-id", "a.b"], ["apns", "log"], ["apns", "list"]])
    func unavailable(words: [String]) throws {
        folder.write([], to: "state")
        let lines = try lines(words, exit: .unavailable)
        #expect(lines.count == 1 && lines.first?.contains("Not a directory") == true, "\(lines)")
    }
}
