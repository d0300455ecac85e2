import ExtensionTesting
import Support
import Testing
import UserNotifications

/// An extension's code in the process of its tests, behind real workers: what goes in, what comes of it.
@Suite struct ExtensionTests {
    /// Far longer than anything here takes, on a loaded machine too.
    private static let patience = Duration.seconds(60)
    private static let alert = #"{"aps":{"alert":{"title":"Hello"},"mutable-content":1},"a":1}"#
    private static let plain = #"{"aps":{"alert":{"title":"Hello"}}}"#

    @Test("what it hands over is delivered, and each notification has an object of its own")
    func modifies() async throws {
        try await Belfry.running(Numbered()) { bell in
            for number in 1...2 {
                let push = try await bell.push(Self.alert)
                let delivered = try await push.waitFor(.delivered, within: Self.patience)
                #expect(delivered.content?.title == "Hello [modified]" && delivered.content?.subtitle == "1")
                let returned = try await push.waitFor(.extensionProcess, within: Self.patience) {
                    $0.extensionProcess?.state == .returned
                }
                #expect(returned.extensionProcess?.exit == nil, "\(number)")
            }
        }
    }

    @Test("a trait gives each case of a test its own", .belfry(running: Numbered()), arguments: [1, 2])
    func trait(number: Int) async throws {
        let defaults = UserNotifications.UserDefaults(suiteName: "group.count")
        #expect(defaults?.integer(forKey: "count") == 0)
        let push = try await Belfry.bell.push(Self.alert)
        #expect(try await push.waitFor(.delivered, within: Self.patience).content?.title == "Hello [modified]")
        #expect(defaults?.integer(forKey: "count") == 1)
    }

    @Test("calls and hangups as values, texts, bytes and files of a simulator go in")
    func payloads() async throws {
        let folder = TemporaryFolder()
        let payload = #"{"Simulator Target Bundle":"com.example.app",\#(Self.alert.dropFirst())"#
        let file = folder.write(Array(payload.utf8), to: "alert.apns")
        folder.makeFolder("Tests")
        let source = folder.write([], to: "Tests/Test.swift")
        try await Belfry.running(Numbered()) { bell in
            var pushes = [
                try await bell.push(Belfry.CallRequest(callID: "a", callerName: "Ann")),
                try await bell.push(Belfry.Hangup(callID: "a", reason: .cancelled)),
                try await bell.push(payload: ["aps": ["alert": "Hi", "mutable-content": 1]]),
                try await bell.push(Self.alert.utf8),
                try await bell.push(contentsOf: file),
                try await bell.push(contentsOf: "alert.apns", source: source),
            ]
            #expect(pushes.prefix(2).map(\.callID) == ["a", "a"])
            // A hangup has no alert.
            let hangup = pushes.remove(at: 1)
            #expect(try await hangup.waitFor(.received, within: Self.patience).content == nil)
            for push in pushes {
                let title = try await push.waitFor(.delivered, within: Self.patience).content?.title
                #expect(title?.hasSuffix(" [modified]") == true, "\(title ?? "")")
            }
            let error = await #expect(throws: BellError.self) { try await bell.push(contentsOf: "absent.apns") }
            #expect(error?.code == .noSuchFile && error?.description.contains("absent.apns") == true)
        }
    }

    @Test("R3 it is told that its time is nearly over, on another thread, and its best attempt counts")
    func expiry() async throws {
        try await Belfry.running(Waiting(), settings: BellSettings(expiryBudget: .seconds(2))) { bell in
            let push = try await bell.push(Self.alert)
            #expect(try await push.waitFor(.delivered, within: Self.patience).content?.title == "best attempt")
            #expect(await !push.events.contains { $0.warning == .blocked })
        }
    }

    @Test("R3 code that blocks and never replies is named, the original is delivered, and it is left on its thread")
    func blocked() async throws {
        let gate = Gate()
        try await Belfry.running(Blocking(gate), settings: BellSettings(expiryBudget: .seconds(1))) { bell in
            let push = try await bell.push(Self.alert)
            #expect(try await push.waitFor(.delivered, within: Self.patience).content?.title == "Hello")
            let events = try await push.waitUntilDone(within: Self.patience)
            #expect(
                events.compactMap(\.warning?.known).filter { $0 != .timeWillExpire } == [.blocked, .killedAtBudget])
            // The process that stood in for it is no news, nor is the memory of that.
            let end = events.last?.extensionProcess
            #expect(end?.state == .ended && end?.exit == nil && end?.memory == nil)
        }
        gate.open()
        await gate.waitForLeft()
    }

    @Test("code of an earlier test that runs on is heard no more, and has no state any more")
    func stale() async throws {
        let gate = Gate()
        let state = try await Belfry.running(Blocking(gate, replies: true)) { bell in
            let delivered = try await bell.push(Self.alert).waitFor(.delivered, within: Self.patience)
            try #require(delivered.deliverer == .extension, "nobody is at the gate: \(delivered)")
            return bell.environment["BELFRY_STATE_DIRECTORY"] ?? ""
        }
        try await Belfry.running(Numbered()) { bell in
            let push = try await bell.push(Self.alert)
            try await push.waitFor(.delivered, within: Self.patience)
            gate.open()
            await gate.waitForLeft()
            #expect(!FileManager.default.fileExists(atPath: state))
            #expect(UserNotifications.UserDefaults(suiteName: "group.count")?.object(forKey: "late") == nil)
            try await push.waitFor(.extensionProcess, within: Self.patience) {
                $0.extensionProcess?.state == .returned
            }
            #expect(await !push.events.contains { $0.kind == .asked && $0.asked?.what == .vibration })
        }
    }

    @Test(
        "with Strict= a notification waits for the reply to the one before, with Reuse= the same process has it then",
        arguments: [true, false])
    func waits(isStrict: Bool) async throws {
        let gate = Gate()
        // The one before has not used up its own while others come and go, however busy the machine is.
        let settings = BellSettings(
            expiryBudget: .seconds(120), extensionStrict: isStrict, extensionReuse: !isStrict)
        try await Belfry.running(Blocking(gate), settings: settings) { bell in
            let first = try await bell.push(Self.alert)
            try await first.waitFor(.extensionProcess, within: Self.patience)
            let second = try await bell.push(Self.alert)
            // Long enough for it to begin, if it might: others that wait for nobody come and go.
            for _ in 0..<3 { try await bell.push(Self.plain).waitFor(.delivered, within: Self.patience) }
            try await second.waitFor(.received, within: Self.patience)
            let kinds = await second.events.map(\.kind)
            #expect(kinds == [.received])
            gate.open()
            try await first.waitFor(.delivered, within: Self.patience)
            gate.open()
            try await second.waitFor(.delivered, within: Self.patience)
            let isStarted = await second.events.contains { $0.extensionProcess?.state == .started }
            #expect(isStarted == isStrict)
            await gate.waitForLeft()
            await gate.waitForLeft()
        }
    }

    @Test("what it attaches from this process's temporary folder is kept, what it asks for is told")
    func asks() async throws {
        try await Belfry.running(Attaching()) { bell in
            let push = try await bell.push(Self.alert)
            let content = try await push.waitFor(.delivered, within: Self.patience).content
            let attached = try #require(content?.attachments.first)
            #expect(FileManager.default.contents(atPath: attached.path) == Data(SmallPNG.bytes()))
            let asked = try await push.waitFor(.asked, within: Self.patience) { $0.asked?.what == .badge }.asked
            #expect(asked?.n == 1 && asked?.detail == "3")
            let shown = await UNUserNotificationCenter.current().deliveredNotifications()
            #expect(shown.map(\.request.content.title) == ["with a picture"])
        }
    }

    @Test(
        "resources and Info.plist are those of a folder, but what Xcode fills in",
        arguments: [("a.b.c", "a.b.c"), ("$(PRODUCT_BUNDLE_IDENTIFIER)", "belfry.tested.extension")])
    func resources(written: String, identifier: String) async throws {
        let folder = TemporaryFolder()
        let key = "<key>CFBundleIdentifier</key><string>\(written)</string>"
        folder.makeFolder("Resources")
        folder.write(
            Array("<plist version=\"1.0\"><dict>\(key)</dict></plist>".utf8), to: "Resources/Info.plist")
        let source = folder.write([], to: "Test.swift")
        try await Belfry.running(Numbered(), resources: "Resources", source: source) { bell in
            try await bell.push(Self.alert).waitFor(.delivered, within: Self.patience)
            #expect(try identifiers(of: bell) == [identifier])
        }
    }

    @Test("without resources it has an identifier all the same; a folder that is not there is an error")
    func noResources() async throws {
        try await Belfry.running(Numbered()) { bell in
            try await bell.push(Self.alert).waitFor(.delivered, within: Self.patience)
            #expect(try identifiers(of: bell) == ["belfry.tested.extension"])
        }
        await #expect(throws: BellError.self) {
            try await Belfry.running(Numbered(), resources: "absent") { _ in }
        }
    }

    @Test("R1 an extension that cannot be run is an error, and no test is green by the built-in service")
    func cannotRun() async throws {
        let folder = TemporaryFolder()
        folder.makeFolder("None.appex")
        folder.makeFolder("NoProgram.appex")
        folder.write(
            Array("<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>a.b</string></dict></plist>".utf8),
            to: "NoProgram.appex/Info.plist")
        for (path, code) in [
            ("\(folder.path)/absent.appex", BellError.Code.notServed), ("\(folder.path)/None.appex", .notServed),
            ("\(folder.path)/NoProgram.appex", .notServed), ("NoProgram.appex", .badSetting),
        ] {
            let error = await #expect(throws: BellError.self) {
                try await Belfry.running(settings: BellSettings(extensionPath: path)) { _ in }
            }
            #expect(error?.code == code && error?.description.contains("appex") == true, "\(error as Any)")
        }
    }

    private func identifiers(of bell: Bell) throws -> [String] {
        let state = bell.environment["BELFRY_STATE_DIRECTORY"] ?? ""
        return try FileManager.default.contentsOfDirectory(atPath: "\(state)/extensions")
    }
}

/// The suite trait, as a dependent writes it.
@Suite(.belfry(running: Numbered())) struct SuiteTraitTests {
    @Suite struct Inner {
        @Test("a suite's tests, and those of suites in it, have a bell with the extension") func inherited()
            async throws
        {
            let push = try await Belfry.bell.push(#"{"aps":{"alert":{"title":"Hello"},"mutable-content":1}}"#)
            #expect(try await push.waitFor(.delivered, within: .seconds(60)).content?.title == "Hello [modified]")
        }
    }
}
