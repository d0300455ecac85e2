import BelfryCommandLine
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing
@testable import belfry

/// How things stand, on one screen.
extension GroupCommandTests {
    private func status(_ words: String..., variables: [String: String] = [:]) -> CommandRun {
        let environment = [
            "BELFRY_STATE_DIRECTORY": "\(folder.path)/state", "HOME": folder.path, "BELFRY_SOUND": "none",
            "BELFRY_SOCKET": "\(folder.path)/push.sock",
        ]
        return CommandRun(["status"] + words, environment.merging(variables) { $1 })
    }

    @Test func whereNothingIsStatusSaysSo() {
        let run = status()
        #expect(run.status == .unavailable)
        #expect(run.lines[0] == "socket          \(folder.path)/push.sock, nobody listens")
        #expect(run.lines[1] == "rings           nothing in group.belfry" && run.lines[2] == "missed          none")
        #expect(run.lines.suffix(2) == ["sound           none: calls make no sound", "do not disturb  off"])
    }

    @Test func whoRingsAndWhatWasMissedIsOnOneScreen() throws {
        for id in 0..<7 { try ring("dead \(id)", name: "Gone\u{202E}", ownerIsDead: true) }
        try ring("one", name: "Anna")
        try ring("two")
        try ring("three", name: "Ada")
        #expect(run("answer", "three").status == .done)
        #expect(run("app", "foreground").status == .done)
        let lines = status().lines
        #expect(lines.contains { $0.hasPrefix("rings           loud, for ") && $0.hasSuffix("s: one (Anna)") })
        #expect(lines.contains { $0.hasPrefix("                soft, for ") && $0.hasSuffix("s: two") })
        #expect(lines.contains { $0.hasPrefix("answered        ") && $0.hasSuffix(" Ada") })
        #expect(lines.contains("app             in front: calls do not ring"))
        #expect(lines.count { $0.contains("Gone\\u{202e} (died)") } == StatusReport.rowsMax)
        #expect(lines.contains("                and 2 more: see belfry calls") && lines.count < 24)
        let json = status("--json").output
        #expect(run("app", "background").status == .done)
        try ring("dead last", name: "Last", ownerIsDead: true)
        try ring("four")
        let missed = status().lines.drop { !$0.hasPrefix("missed ") }
        #expect(missed.first?.hasSuffix(" Last (died)") == true, "the last ones, the newest first")
        #expect(json.contains(#""ringing":2,"loud":"one","foreground":true,"answers":1,"missed":7,"#))
    }

    @Test("R10 a call that goes on is there with its duration, and then none rings loud") func active() throws {
        try ring("three", name: "Ada")
        #expect(run("answer", "--pid", "\(getpid())").status == .done)
        try ring("one", name: "Anna")
        let lines = status().lines
        #expect(lines.contains { $0.hasPrefix("rings           soft, for ") && $0.hasSuffix("s: one (Anna)") })
        #expect(lines.contains { $0.hasPrefix("in a call       for ") && $0.hasSuffix(" s: three (Ada)") })
        let object = try #require(JSONValue.parse(Array(status("--json").output.utf8)).objectValue)
        let active = object["active"]?.arrayValue?.first?.objectValue
        #expect(active?["name"] == "Ada" && active?["mode"] == "active" && object["loud"] == .null)
        #expect(active?["duration"]?.numberValue.map { $0 >= 0 && $0 < 60 } == true)
    }

    @Test("for a status bar there are words, numbers and times with callers' names, and no prose") func machine() throws
    {
        try ring("gone", name: "Gone", ownerIsDead: true)
        try ring("one", name: "Anna")
        try ring("three", name: "Ada")
        #expect(run("answer", "three").status == .done)
        let object = try #require(JSONValue.parse(Array(status("--json").output.utf8)).objectValue)
        #expect(
            object.members.map(\.key) == [
                "socket", "listens", "ringing", "loud", "foreground", "answers", "missed", "calls", "active",
                "answered",
                "missedCalls", "rejections", "sound", "doNotDisturb", "fleet",
            ])
        func first(_ key: String) -> JSONObject? { object[key]?.arrayValue?.first?.objectValue }
        #expect(first("calls")?["name"]?.stringValue == "Anna" && first("calls")?["mode"]?.stringValue == "loud")
        #expect(first("calls")?["remaining"]?.numberValue.map { $0 > 0 && $0 < 60 } == true)
        #expect(first("answered")?["name"]?.stringValue == "Ada")
        #expect(first("missedCalls")?["name"]?.stringValue == "Gone")
        let now = wallTimeMicroseconds() / 1_000_000
        for time in [first("answered")?["answered"], first("missedCalls")?["missed"]] {
            #expect(time?.numberValue.map { abs(Int64($0) - now) < 60 } == true)
        }
        #expect(object["sound"] == .object(["state": "none", "name": "none", "sink": .null, "missingDevice": .null]))
        #expect(object["doNotDisturb"] == "off")
        let quiet = status("--json", variables: ["BELFRY_QUIET_HOURS": "00:00-24:00"]).output
        #expect(quiet.contains(#""doNotDisturb":"quiet-hours""#))
    }

    @Test func quietHoursAreTold() {
        let always = ["BELFRY_QUIET_HOURS": "00:00-24:00"]
        #expect(
            status(variables: always).lines.last?.hasSuffix("quiet hours, 00:00-24:00: calls ring without sound")
                == true)
    }

    @Test func aSocketIsFoundInTheKernelsTable() {
        let table = """
            Num       RefCount Protocol Flags    Type St Inode Path
            0000000000000000: 00000002 00000000 00010000 0001 01 20717 /run/user/1000/belfry/push.sock
            0000000000000000: 00000003 00000000 00000000 0001 03 20718 /run/a b
            0000000000000000: 00000002 00000000 00010000 0001 01 20719 /run/c d
            """
        #expect(ListeningSockets.inodes(at: "/run/user/1000/belfry/push.sock", in: table) == ["20717"])
        #expect(ListeningSockets.inodes(at: "/run/c d", in: table) == ["20719"])
        #expect(ListeningSockets.inodes(at: "/run/a b", in: table) == [])
        #expect(ListeningSockets.inodes(at: "/run/user/1000/belfry/push", in: table) == [])
        #expect(ListeningSockets.inodes(at: "", in: "") == [])
    }

    @Test func aRejectionIsReadFromTheJournal() throws {
        let entry = #"{"__REALTIME_TIMESTAMP":"1700000000123456","BELFRY_REASON":"BadField","BELFRY_DETAIL":"callId"}"#
        let rejected = try #require(Rejected(entry: Array(entry.utf8)))
        #expect(rejected.text == "\(TimeText.time(1_700_000_000)) BadField: callId")
        for other in ["", "{}", #"{"BELFRY_REASON":"Busy"}"#, #"{"BELFRY_REASON":"Busy","__REALTIME_TIMESTAMP":"x"}"#] {
            #expect(Rejected(entry: Array(other.utf8)) == nil)
        }
    }
}
