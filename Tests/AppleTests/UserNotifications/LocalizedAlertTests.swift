import BelfryJSON
import BelfryProtocol
import Support
import Testing
import UserNotifications

/// An alert whose texts are keys: they are looked up in the extension's own tables.
@Suite struct LocalizedAlertTests {
    private let folder = TemporaryFolder()

    private func localized(_ alert: JSONObject, _ titles: [String]) throws -> [String] {
        let table = #"""
            "GREET" = "Hello %2$@, %1$@"; "TITLE" = "A title"; "SUB" = "To %@"; "text" = "of a plain text";
            """#
        folder.makeFolder("Name.bundle/en.lproj")
        folder.write(Array(table.utf8), to: "Name.bundle/en.lproj/Localizable.strings")
        let bundle = try #require(Bundle(path: "\(folder.path)/Name.bundle"))
        var content = NotificationContent()
        (content.title, content.subtitle, content.body) = (titles[0], titles[1], titles[2])
        content.userInfo = ["aps": ["alert": .object(alert)]]
        let found = content.localized(in: bundle)
        return [found.title, found.subtitle, found.body]
    }

    @Test("each key is looked up, with its arguments in their places") func keys() throws {
        let alert: JSONObject = [
            "title-loc-key": "TITLE", "subtitle-loc-key": "SUB", "subtitle-loc-args": ["Bob"], "loc-key": "GREET",
            "loc-args": ["you", "Ann", 3],
        ]
        #expect(try localized(alert, ["TITLE", "SUB", "GREET"]) == ["A title", "To Bob", "Hello Ann, you"])
    }

    @Test("a key that is not there stays, and so does a text, also one that is a key") func others() throws {
        let alert: JSONObject = ["title": "text", "title-loc-key": "TITLE", "loc-key": "NONE", "loc-args": ["a"]]
        #expect(try localized(alert, ["text", "s", "NONE"]) == ["text", "s", "NONE"])
        #expect(try localized([:], ["GREET", "", ""]) == ["GREET", "", ""])
        let plain = NotificationContent()
        #expect(plain.localized() == plain)
    }
}
