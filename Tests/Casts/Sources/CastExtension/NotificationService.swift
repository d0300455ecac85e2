import Foundation
import Neighbour
import UserNotifications

/// Casts what came and what it put in itself, and loads a web address, as extensions do, and tells what does not answer
/// as on iOS.
class NotificationService: UNNotificationServiceExtension {
    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else { return }
        var wrong = Self.wrongCasts(of: request.content.userInfo).map { "payload: \($0)" }
        if Self.loaded(request.content.userInfo["address"]) != "loaded" { wrong.append("Data(contentsOf:)") }
        content.userInfo = [
            "one": 1, "big": Int64.max, "half": 0.5, "yes": true, "null": NSNull(), "text": "x", "list": [1, 2],
            "texts": ["a", "b"], "objects": [["k": 1], ["k": 2]], "object": ["a": 1, "b": "x"] as [String: Any],
        ]
        wrong += Self.wrongCasts(of: content.userInfo).map { "put in: \($0)" }
        if let defaults = UserDefaults(suiteName: "group.casts") {
            for (key, value) in content.userInfo where !(value is NSNull) { defaults.set(value, forKey: "\(key)") }
            var values = defaults.dictionaryRepresentation() as [AnyHashable: Any]
            values["null"] = NSNull()
            wrong += Self.wrongCasts(of: values).map { "defaults: \($0)" }
        }
        content.subtitle = wrong.isEmpty ? "all casts answer on \(Neighbour.system)" : wrong.joined(separator: "; ")
        contentHandler(content)
    }

    /// What is at a web address; nothing else here names what loads it.
    private static func loaded(_ address: Any?) -> String? {
        guard let text = address as? String, let url = URL(string: text) else { return nil }
        return (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func wrongCasts(of info: [AnyHashable: Any]) -> [String] {
        let (one, big, half, yes, null) = (info["one"], info["big"], info["half"], info["yes"], info["null"])
        let (text, list, texts, objects, object) =
            (info["text"], info["list"], info["texts"], info["objects"], info["object"])
        let casts: [(String, Bool)] = [
            ("Int", one as? Int == 1), ("Int32", one as? Int32 == 1), ("Int64", one as? Int64 == 1),
            ("UInt", one as? UInt == 1), ("Double", one as? Double == 1), ("Float", half as? Float == 0.5),
            ("NSNumber", one as? NSNumber == 1), ("1 as Bool", one as? Bool == true), ("big", big as? Int == .max),
            ("big Int32", big as? Int32 == nil), ("half Int", half as? Int == nil), ("Bool", yes as? Bool == true),
            ("true as Int", yes as? Int == 1), ("NSNull", null is NSNull), ("String", text as? String == "x"),
            ("NSString", text as? NSString == "x"), ("[Int]", list as? [Int] == [1, 2]),
            ("[Any]", (list as? [Any])?.count == 2), ("NSArray", (list as? NSArray)?.count == 2),
            ("NSArray as [Int]", (list as? NSArray) as? [Int] == [1, 2]),
            ("[String]", texts as? [String] == ["a", "b"]),
            ("not [String]", list as? [String] == nil), ("NSArray of texts", (texts as? NSArray)?[1] as? String == "b"),
            ("[[String: Any]]", (objects as? [[String: Any]])?.last?["k"] as? Int == 2),
            ("[String: Any]", (object as? [String: Any])?["a"] as? Int32 == 1),
            ("Dictionary", (object as? Dictionary<String, Any>)?["b"] as? String == "x"),
            ("[AnyHashable: Any]", (object as? [AnyHashable: Any])?["b"] as? String == "x"),
            ("NSDictionary", (object as? NSDictionary)?["b"] as? String == "x"),
            ("NSDictionary as [String: Any]", ((object as? NSDictionary) as? [String: Any])?.count == 2),
            ("not [String: String]", object as? [String: String] == nil),
            ("NSSet", (Set(["a"]) as Any) as? NSSet == NSSet(array: ["a"])),
        ]
        return casts.filter { !$0.1 }.map(\.0)
    }
}
