import BelfryApps
import Glibc
import Support
import Testing

/// What is an app, and what is none.
@Suite struct AppBundleTests {
    private let folder = TemporaryFolder()

    /// A folder `name` with an `Info.plist` of these entries and a program.
    private func app(_ name: String, _ entries: String, program: String? = "Phone") -> String {
        let path = folder.makeFolder(name)
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>\(entries)</dict></plist>
            """
        folder.write(Array(text.utf8), to: "\(name)/Info.plist")
        guard let program else { return path }
        let file = folder.write(Array("#!/bin/sh\n".utf8), to: "\(name)/\(program)")
        #expect(unsafe chmod(file, 0o755) == 0)
        return path
    }

    private static let identifier = "<key>CFBundleIdentifier</key><string>com.example.phone</string>"

    @Test("an app is laid out as on iOS") func reads() throws {
        let path = app(
            "Phone.app",
            Self.identifier + """
                <key>CFBundleExecutable</key><string>Main</string>
                <key>CFBundleDisplayName</key><string>My Phone</string>
                <key>UIBackgroundModes</key><array><string>audio</string><string>voip</string></array>
                <key>aps-environment</key><string>development</string>
                """, program: "Main")
        let bundle = try AppBundle(path: path + "/")
        #expect(bundle.path == path && bundle.program == "\(path)/Main")
        #expect(bundle.identifier == "com.example.phone" && bundle.name == "My Phone")
        #expect(bundle.hasVoIPMode && bundle.environment == "development")
        let bare = try AppBundle(path: app("Phone2.app", Self.identifier, program: "Phone2"))
        #expect(bare.name == "Phone2" && !bare.hasVoIPMode && bare.environment == nil)
    }

    @Test("what iOS wants of an app beyond that is said, with the remedy") func lacks() throws {
        let voip = "<key>UIBackgroundModes</key><array><string>voip</string></array>"
        let whole = try AppBundle(path: app("W.app", Self.identifier + voip, program: "W"))
        #expect(whole.lacks.isEmpty)
        let bare = try AppBundle(
            path: app("L.app", Self.identifier + "<key>aps-environment</key><string>sandbox</string>", program: "L"))
        #expect(bare.lacks.map(\.what).last == "its aps-environment is sandbox" && bare.lacks.count == 2)
        #expect(bare.lacks.allSatisfy { $0.remedy.contains("\(bare.path)/Info.plist") })
    }

    @Test("what is none says why") func refuses() {
        func fault(_ path: String) -> String {
            do throws(AppBundleError) {
                return "\(try AppBundle(path: path))"
            } catch {
                return error.description
            }
        }
        func identified(_ text: String) -> String {
            fault(app("I.app", "<key>CFBundleIdentifier</key><string>\(text)</string>", program: "I"))
        }
        #expect(fault("\(folder.path)/None.app").contains("Info.plist cannot be read"))
        #expect(fault(app("A.app", "")).contains("has no CFBundleIdentifier"))
        let broken = app("B.app", Self.identifier)
        folder.write(Array("<plist><dict>".utf8), to: "B.app/Info.plist")
        #expect(fault(broken).contains("Info.plist cannot be read"))
        for text in [String(repeating: "a", count: 300), "../etc", "a b", ""] {
            #expect(identified(text).contains("is no bundle identifier"), "\(text)")
        }
        #expect(identified("com..phone").contains("each dot stands between two names"))
        #expect(identified("com.phone.voip").contains("leave .voip away"))
        #expect(fault(app("C.app", Self.identifier, program: nil)).contains("C is no program"))
        let isFolder = app("D.app", Self.identifier, program: nil)
        folder.makeFolder("D.app/D")
        #expect(fault(isFolder).contains("D is no program"))
        let elsewhere = app("E.app", Self.identifier + "<key>CFBundleExecutable</key><string>../Phone</string>")
        #expect(fault(elsewhere).contains("no plain name"))
    }

    @Test(
        "an app's sounds have a telephone's role, unless its user gives them another",
        arguments: [
            (nil, "media.role=phone"), ("", "media.role=phone"),
            ("media.role=music window.x11.display=:1", "media.role=phone media.role=music window.x11.display=:1"),
        ])
    func role(own: String?, all: String) {
        var environment = ["HOME": "/home/a", "NOTIFY_SOCKET": "/run/n"]
        environment["PULSE_PROP"] = own
        let variables = AppBundle.variables(environment, socketPath: "/run/calls.sock")
        #expect(variables == ["HOME": "/home/a", "PULSE_PROP": all, "BELFRY_CALLS_SOCKET": "/run/calls.sock"])
    }

    @Test("of two folders with one identifier the first counts") func twice() {
        let first = app("Phone.app", Self.identifier)
        let second = app("Other.app", Self.identifier, program: "Other")
        let apps = ConfiguredApps(paths: [first, second, "\(folder.path)/None.app"])
        #expect(apps.bundles.map(\.path) == [first] && apps["com.example.phone"]?.path == first)
        #expect(apps.faults.count == 2 && apps.faults[0].contains("has the identifier of \(first)"))
        #expect(apps["com.example.other"] == nil)
    }
}
