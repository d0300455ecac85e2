import BelfryJSON
import BelfryProtocol
import Foundation
import Testing
import UserNotifications

/// The casts that extensions make of `userInfo` and of `UserDefaults`: each answers as on iOS.
@Suite(.onPhone) struct CastTests {
    private static let payload: JSONObject = [
        "one": 1, "three": 3, "big": .integer(.max), "half": 0.5, "whole": 2.0, "yes": true, "no": false, "null": .null,
        "text": "x", "list": [1, 2], "texts": ["a", "b"], "objects": [["k": 1], ["k": 2]],
        "object": ["a": 1, "b": "x"],
        "words": ["a": "x"], "empty": [:],
    ]

    /// The same values as a developer puts them in, as native as Swift has them.
    nonisolated(unsafe) private static let native: [String: Any] = [
        "one": 1, "three": Int32(3), "big": Int64.max, "half": Float(0.5), "whole": 2.0, "yes": true, "no": false,
        "null": NSNull(), "text": NSString("x"), "list": [1, 2], "texts": ["a", "b"] as NSArray,
        "objects": [["k": 1], ["k": 2]], "object": ["a": 1, "b": "x"] as [String: Any],
        "words": NSMutableDictionary(dictionary: ["a": "x"]), "empty": [String: Any](),
    ]

    enum Source: CaseIterable { case payload, mutated, inPlace, copied, defaults }

    private static func values(_ source: Source) -> [AnyHashable: Any] {
        var value = NotificationContent()
        value.userInfo = payload
        let content = UNMutableNotificationContent(value)
        switch source {
        case .payload: break
        case .mutated: content.userInfo = unsafe native
        case .inPlace: for (key, value) in unsafe native { content.userInfo[key] = value }
        case .copied:
            content.userInfo = unsafe native
            return (content.copy() as? UNNotificationContent)?.userInfo ?? [:]
        case .defaults:
            let defaults = Phone.group("group.casts").defaults
            for (key, value) in unsafe native where !(value is NSNull) { defaults.set(value, forKey: key) }
            var values = defaults.dictionaryRepresentation() as [AnyHashable: Any]
            for key in unsafe native.keys { values[key] = defaults.object(forKey: key) }
            values["null"] = NSNull()
            return values
        }
        return content.userInfo
    }

    @Test("numbers are any number that holds them", arguments: Source.allCases)
    func numbers(source: Source) {
        let values = Self.values(source)
        #expect(values["one"] as? Int == 1 && values["one"] as? Int32 == 1 && values["one"] as? Int64 == 1)
        #expect(values["one"] as? UInt == 1 && values["one"] as? Double == 1 && values["one"] as? Float == 1)
        #expect(values["one"] as? Bool == true && values["three"] as? Bool == nil)
        #expect(values["one"] as? NSNumber == 1 && values["one"] as? String == nil)
        #expect(values["big"] as? Int == .max && values["big"] as? Int64 == .max && values["big"] as? Int32 == nil)
        #expect(values["half"] as? Double == 0.5 && values["half"] as? Float == 0.5 && values["half"] as? Int == nil)
        #expect(values["whole"] as? Int == 2 && values["whole"] as? Double == 2)
        #expect(values["three"] as? Int16 == 3 && (values["three"] as? NSNumber)?.intValue == 3)
    }

    @Test("truth values are numbers too, and null is NSNull", arguments: Source.allCases)
    func truth(source: Source) {
        let values = Self.values(source)
        #expect(values["yes"] as? Bool == true && values["no"] as? Bool == false)
        #expect(values["yes"] as? Int == 1 && values["no"] as? Int32 == 0 && values["yes"] as? NSNumber == 1)
        #expect(values["null"] is NSNull && values["null"] as? String == nil && values["absent"] == nil)
    }

    @Test("texts are both kinds of string", arguments: Source.allCases)
    func texts(source: Source) {
        let values = Self.values(source)
        #expect(values["text"] as? String == "x" && values["text"] as? NSString == "x" && values["text"] as? Int == nil)
    }

    @Test("containers are both kinds of container, with whatever they hold", arguments: Source.allCases)
    func containers(source: Source) {
        let values = Self.values(source)
        #expect(values["list"] as? [Int] == [1, 2] && (values["list"] as? [Any])?.count == 2)
        #expect((values["list"] as? NSArray)?.count == 2 && values["list"] as? [String] == nil)
        #expect(values["texts"] as? [String] == ["a", "b"])
        #expect((values["objects"] as? [[String: Any]])?.last?["k"] as? Int == 2)
        #expect((values["object"] as? [String: Any])?["a"] as? Int32 == 1)
        #expect((values["object"] as? [AnyHashable: Any])?["b"] as? String == "x")
        #expect((values["object"] as? NSDictionary)?["b"] as? String == "x")
        #expect(values["object"] as? [String: String] == nil && values["words"] as? [String: String] == ["a": "x"])
        #expect((values["empty"] as? [String: Any])?.isEmpty == true)
        #expect((values["object"] as? [String: Any])?["a"] as? Bool == true)
    }

    @Test("what a developer puts in leaves as JSON of the same kinds; a payload that nobody changed, exactly")
    func backToJSON() throws {
        var value = NotificationContent()
        value.userInfo = ["z": 1, "a": 2.0, "aps": ["alert": "x"], "n": .null]
        #expect(UNNotificationContent(value).value == value)
        let content = UNMutableNotificationContent(value)
        content.userInfo["b"] = ["c": [true, 2, 0.5, NSNull(), "é"] as [Any]]
        let expected: JSONObject = [
            "a": 2.0, "aps": ["alert": "x"], "b": ["c": [true, 2, 0.5, .null, "é"]], "n": .null, "z": 1,
        ]
        #expect(content.value.userInfo == expected)
        content.userInfo = ["when": Date(), 7: "no text", "big": UInt64.max]
        #expect(content.value.userInfo == ["big": .unsigned(.max)])
    }
}
