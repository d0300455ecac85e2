import BelfryJSON
import BelfryTerms
import Testing
@testable import BelfryProtocol

/// What those who follow pushes get, as lines.
@Suite struct PushRecordTests {
    private static let time = WallTime(microseconds: 1_795_686_172_898_000)

    private static func taken(_ push: String) throws -> PushRecord.Taken {
        PushRecord.Taken(try Push.parse(Array(push.utf8)) { "id" }, at: time)
    }

    private static func request(
        _ apnsID: String, status: Int = 200, device: String? = "D"
    ) -> PushRecord.Request {
        PushRecord.Request(
            apnsID: apnsID, time: time, method: "POST", path: "/3/device/ab", headers: ["apns-topic": "t"],
            payload: "{\"a\":\"\\n\"}", device: device, status: status, reason: status == 200 ? nil : "R",
            uniqueID: status == 200 ? "U" : nil)
    }

    @Test("a record reads as it was written, and its line begins with what it is")
    func written() throws {
        let voip = """
            {"pushType": "voip", "topic": "t", "collapseId": "c", "sentAt": 1795686000.5, "expiration": 1795686999,
            "appGroup": "group.x", "payload": {"callId": "7", "callerName": "Anna"}}
            """
        let alert = #"{"aps": {"alert": {"title": "FINDME"}, "mutable-content": 1}, "deep": {"a": [1, null]}}"#
        let event = Event(at: 0.5, boot: 9, id: "id", body: .sound(state: .playing, detail: "\"x\""))
        let records: [(PushRecord, String)] = [
            (.push(try Self.taken(voip)), "push"), (.push(try Self.taken(alert)), "push"),
            (.push(PushRecord.Taken(unreadable: "id", at: Self.time)), "push"), (.event(event), "event"),
            (.end(id: "id", isWhole: true), "end"), (.end(id: "id", isWhole: false), "end"),
            (.request(Self.request("AB")), "request"),
            (.request(Self.request("x", status: 403, device: nil)), "request"),
        ]
        for (record, name) in records {
            #expect(PushRecord(line: record.line) == record)
            #expect(PushRecord(line: record.json.serialized()) == record)
            let line = String(decoding: record.line, as: UTF8.self)
            #expect(line.hasPrefix("{\"record\":\"\(name)\",\"") && line.last == "\n")
        }
        let call = try Self.taken(voip)
        #expect(call.call == "7" && call.envelope?.pushType == .voip && call.envelope?.appGroup == "group.x")
        let content = try #require(try Self.taken(alert).content)
        #expect(content.title == "FINDME" && content.userInfo["deep"] == ["a": [1, .null]])
    }

    @Test(
        "what is no record",
        arguments: [
            "", "[]", "{}", #"{"record":"other","id":"a"}"#, #"{"record":"end","id":"a"}"#, #"{"record":"event"}"#,
            #"{"record":"push","time":1}"#, #"{"record":"push","id":"a","pushType":"nonsense"}"#,
            #"{"record":"request","apnsId":"a","time":1,"method":"","path":"","headers":[],"payload":"","status":200}"#,
        ])
    func foreign(line: String) { #expect(PushRecord(line: Array(line.utf8)) == nil) }

    @Test("every record of a push that came by the endpoint says by which request, and for which device")
    func joined() {
        var selection = RecordSelection()
        let request = Self.request("AB")
        let shownRequest = selection.shown(.request(request))
        #expect(shownRequest?["device"] == "D")
        let event = PushRecord.event(Event(at: 0, boot: 0, id: "ab", body: .tick(n: 1, late: 0)))
        let shown = selection.shown(event)
        #expect(shown?["apnsId"] == "AB" && shown?["device"] == "D" && shown?["event"] == "tick")
        let end = selection.shown(.end(id: "ab", isWhole: true))
        let late = selection.shown(event)
        #expect(end?["apnsId"] == "AB" && late != nil && late?["apnsId"] == nil)
    }

    @Test("a push that was refused as busy comes again, and is still that request's") func busy() {
        var selection = RecordSelection(device: "d")
        _ = selection.shown(.request(Self.request("AB")))
        let refused = Event(at: 0, boot: 0, id: "ab", body: .rejected(reason: .busy, detail: ""))
        let rejection = selection.shown(.event(refused))
        let end = selection.shown(.end(id: "ab", isWhole: true))
        let again = selection.shown(.push(PushRecord.Taken(unreadable: "ab", at: Self.time)))
        for record in [rejection, end, again] { #expect(record?["apnsId"] == "AB" && record?["device"] == "D") }
        let last = selection.shown(.end(id: "ab", isWhole: true))
        let late = selection.shown(.end(id: "ab", isWhole: true))
        #expect(last != nil && late == nil)
    }

    @Test("a device is named by its id or by the token of a push, in any case") func device() {
        for (name, isMeant) in [("D", true), ("d", true), ("AB", true), ("ab", true), ("device", false), ("", false)] {
            var selection = RecordSelection(device: name)
            let shown = selection.shown(.request(Self.request("x")))
            #expect((shown != nil) == isMeant, "\(name)")
        }
    }

    @Test("one push is chosen by its id or its apns-id in any case, or by its device") func chosen() {
        let event = PushRecord.event(Event(at: 0, boot: 0, id: "ab", body: .tick(n: 1, late: 0)))
        let other = PushRecord.event(Event(at: 0, boot: 0, id: "cd", body: .tick(n: 1, late: 0)))
        for id in ["ab", "AB"] {
            var selection = RecordSelection(id: id)
            let shown = [event, other, .request(Self.request("AB"))].map { selection.shown($0) != nil }
            #expect(shown == [true, false, true])
        }
        var selection = RecordSelection(device: "d")
        let records: [PushRecord] = [
            event, .request(Self.request("AB")), event, .request(Self.request("CD", device: "E")), other,
            .request(Self.request("EF", status: 410)),
        ]
        let shown = records.map { selection.shown($0) != nil }
        #expect(shown == [false, true, true, false, false, true])
    }

    @Test("of the requests that never led to a push the last ones are remembered") func remembered() {
        var requests = RememberedRequests(max: 3)
        for number in 0..<20 { _ = requests.request(of: .request(Self.request("\(number)"))) }
        func ends(_ number: Int) -> Bool { requests.request(of: .end(id: "\(number)", isWhole: true)) != nil }
        let known = (0..<20).filter(ends)
        #expect(known.count <= 6 && known.suffix(3) == [17, 18, 19], "\(known)")
        let again = (0..<20).filter(ends)
        #expect(again.isEmpty, "with its end each is forgotten")
    }
}
