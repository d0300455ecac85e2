import BelfryJSON
import BelfryProtocol
import BelfryTerms
import Testing

@Suite struct ContentFormTests {
    private static let full: NotificationContent = {
        var content = NotificationContent()
        content.title = "Ada"
        content.subtitle = "calls"
        content.body = "é\n\u{1F514}"
        content.badge = 3
        content.sound = NotificationSound(name: "ring.wav", isCritical: true, volume: 0.5, isRingtone: true)
        content.categoryIdentifier = "CALL"
        content.threadIdentifier = "calls"
        content.interruptionLevel = .timeSensitive
        content.relevanceScore = 0.25
        content.targetContentIdentifier = "window"
        content.launchImageName = "launch"
        content.filterCriteria = "work"
        content.summaryArgument = "Ada"
        content.summaryArgumentCount = 2
        let clip = AttachmentThumbnail.Clip(x: 0.25, y: 0, width: 0.5, height: 1)
        content.attachments = [
            NotificationAttachment(id: "avatar", path: "/tmp/a.png", type: "public.png"),
            NotificationAttachment(
                id: "film", path: "/tmp/a.avi", type: "public.avi",
                thumbnail: AttachmentThumbnail(isHidden: true, clip: clip, time: 2.5)),
        ]
        content.picture = NotificationAttachment(id: "ann", path: "/tmp/b.webp", type: "org.webmproject.webp")
        content.userInfo = ["aps": ["alert": "x", "n": .integer(.max), "r": 3.0], "z": .null]
        return content
    }()

    @Test func theFormHasEveryFieldOfTheContractInItsOrder() {
        #expect(
            Self.full.json == [
                "title": "Ada", "subtitle": "calls", "body": "é\n\u{1F514}", "badge": 3,
                "sound": ["name": "ring.wav", "critical": true, "volume": 0.5, "ringtone": true],
                "category": "CALL", "thread": "calls", "interruptionLevel": "time-sensitive",
                "attachments": [
                    ["id": "avatar", "path": "/tmp/a.png", "type": "public.png"],
                    [
                        "id": "film", "path": "/tmp/a.avi", "type": "public.avi",
                        "thumbnail": [
                            "hidden": true, "clip": ["x": 0.25, "y": 0.0, "width": 0.5, "height": 1.0], "time": 2.5,
                        ],
                    ],
                ],
                "picture": ["id": "ann", "path": "/tmp/b.webp", "type": "org.webmproject.webp"],
                "userInfo": ["aps": ["alert": "x", "n": .integer(.max), "r": 3.0], "z": .null],
                "relevanceScore": 0.25, "targetContentId": "window", "launchImageName": "launch",
                "filterCriteria": "work", "summaryArgument": "Ada", "summaryArgumentCount": 2,
            ])
    }

    @Test func emptyContentHasEveryFieldToo() {
        let json = NotificationContent().json
        #expect(json.members.map(\.key) == Self.full.json.members.map(\.key))
        #expect(json["badge"] == .null)
        #expect(json["sound"] == .null)
        #expect(json["body"] == "")
    }

    @Test(arguments: [NotificationContent(), full])
    func theFormReadsBackTheSameAlsoAsText(content: NotificationContent) throws {
        #expect(try NotificationContent(json: content.json) == content)
        let read = try #require(try JSONValue.parse(content.json.serialized()).objectValue)
        #expect(try NotificationContent(json: read) == content)
    }

    @Test func whatIsMissingOrNullHasItsDefaultAndStrangersArePassedOver() throws {
        #expect(try NotificationContent(json: [:]) == NotificationContent())
        #expect(try NotificationContent(json: ["title": .null, "userInfo": .null, "new": 1]) == NotificationContent())
        #expect(try NotificationContent(json: ["sound": ["name": "a"]]).sound == NotificationSound(name: "a"))
    }

    @Test(
        arguments: [
            ("title", JSONValue.integer(1), "title"), ("badge", "1", "badge"), ("badge", true, "badge"),
            ("sound", "default", "sound"), ("sound", [:], "sound.name"),
            ("sound", ["name": "a", "critical": 1], "sound.critical"),
            ("sound", ["name": "a", "volume": "1"], "sound.volume"),
            ("sound", ["name": "a", "ringtone": 1], "sound.ringtone"),
            (
                "attachments", [["id": "a", "path": "b", "type": "c", "thumbnail": ["clip": ["x": "1"]]]],
                "attachments[0].thumbnail.clip.x"
            ),
            ("interruptionLevel", "loud", "interruptionLevel"), ("attachments", [:], "attachments"),
            ("attachments", [1], "attachments[0]"), ("attachments", [["id": "a", "path": "b"]], "attachments[0].type"),
            ("userInfo", [], "userInfo"), ("relevanceScore", "1", "relevanceScore"),
            ("targetContentId", 1, "targetContentId"),
        ] as [(String, JSONValue, String)])
    func anotherTypeIsAnErrorThatNamesTheField(key: String, value: JSONValue, field: String) {
        do throws(ContentError) {
            _ = try NotificationContent(json: [key: value])
            Issue.record("read without an error")
        } catch {
            #expect(error.field == field)
            #expect(error.detail.contains("expected"))
        }
    }

    @Test func R18_numbersAreBroughtIntoTheirRanges() throws {
        let content = try NotificationContent(json: [
            "badge": 1e300, "relevanceScore": .integer(.min),
            "sound": ["name": "a", "critical": true, "volume": -1e300],
        ])
        #expect(content.badge == .max)
        #expect(content.relevanceScore == 0)
        #expect(content.sound?.volume == 0)
        #expect(try NotificationContent(json: ["badge": -5]).badge == 0)
    }

    @Test("a clip that leaves a side out is of the whole picture there")
    func clipSides() throws {
        for side in ["x", "y", "width", "height"] {
            var sides: JSONObject = ["x": 0.1, "y": 0.2, "width": 0.3, "height": 0.4]
            sides[side] = nil
            let content = try NotificationContent(json: [
                "attachments": [
                    ["id": "a", "path": "/b", "type": "c", "thumbnail": ["clip": .object(sides)]]
                ]
            ])
            let clip = try #require(content.attachments.first?.thumbnail.clip)
            #expect(clip.x == (side == "x" ? 0 : 0.1) && clip.y == (side == "y" ? 0 : 0.2))
            #expect(clip.width == (side == "width" ? 1 : 0.3) && clip.height == (side == "height" ? 1 : 0.4))
        }
    }
}
