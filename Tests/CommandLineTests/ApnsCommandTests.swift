import BelfryAppGroup
import BelfryCommandLine
import BelfryDevices
import BelfryJSON
import BelfrySyscalls
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
        let own = ["BELFRY_STATE_DIRECTORY": state, "TZ": "UTC"].merging(environment) { $1 }
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
        try #require(words.map { $0[0] } == ["device", "alert", "voip"])
        let (id, alert, voip) = (words[0][1], words[1][1], words[2][1])
        guard case .registered(let registration)? = DeviceToken(hex: voip).map(registry.standing) else {
            return #expect(Bool(false), "the token is not known")
        }
        #expect(registration.topic == "com.example.phone.voip" && registration.environment == .development)
        #expect(try lines(["device", "list"]) == ["\(id) com.example.phone group.a development online"])
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
            (["device", "add", "--bundle-id", "a", "--environment", "x"], "belfry: --environment is production or"),
            (["device", "add", "--bundle"], "belfry: --bundle-id needs a value"),
            (["device", "add", "--bunch"], "belfry: there is no option --bunch"),
            (["device", "add", "--group"], "belfry: --group needs a value"),
            (["device", "list", "x"], "belfry: belfry device list takes no argument"),
            (["device", "remove"], "belfry: belfry device remove takes one device"),
            (["apns", "log", "a", "b"], "belfry: belfry apns log takes one id at most"),
            (["apns", "lok"], "belfry: there is no such command"),
            (["apns", "list", "x"], "belfry: belfry apns list x: see belfry apns --help"),
            (["apns", "key", "add", "AuthKey_A.p8"], "belfry: a key is a team's: --team ID"),
            (["apns", "key", "add", "a.p8", "--team", "T"], "belfry: the file's name does not tell the key's id"),
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
        let key = "key \(values[1]) team TEAM all topics both environments"
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
                "key \(id) of team T may push"
            ])
        #expect(
            try lines(["apns", "key", "add", key, "--team", "T", "--key-id", "0"], environment: other) == [
                "key 0 of team T may push"
            ])
        let added = try lines(["apns", "certificate", "add", certificate], environment: other)
        #expect(added.first?.hasSuffix(" Apple Push Services: com.example.phone may push") == true)
        #expect(added.last == "  in development")
        #expect(
            try lines(["apns", "list"], environment: other).prefix(2) == [
                "key 0 team T all topics both environments", "key \(id) team T a.b,c.d production",
            ])
        #expect(try lines(["apns", "certificate", "add", "\(folder.path)/absent"], exit: .notFound).count == 1)
    }

    @Test("fail and goaway say to the endpoint what is asked for, and complain if it does not take that")
    func testers() throws {
        let token = String(repeating: "ab", count: 32)
        for (words, line) in [
            (["goaway"], #"{"command":"goaway"}"#),
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
