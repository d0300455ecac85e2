import BelfryCommandLine
import BelfrySyscalls
import Glibc
import Support
import Testing

/// What `belfry new-app`, `import` and `pack` do with the package of an app.
@Suite struct AppPackageTests {
    private let folder = TemporaryFolder()

    /// What `belfry` says in the folder `place`, with a `swift` that is the script `swift`.
    private func belfry(
        _ words: [String], in place: String = "", swift: String = "true"
    ) throws -> (exit: ChildExit, output: [String], complaints: [String]) {
        folder.makeFolder("bin")
        let script = folder.write(Array("#!/bin/sh\n\(swift)\n".utf8), to: "bin/swift")
        unsafe chmod(script, 0o755)
        let run = try ProgramRun(
            "/bin/sh",
            ["-c", "cd \"$1\" && shift && exec \"$@\"", "sh", "\(folder.path)/\(place)"]
                + [testedProgram("belfry")] + words, environment: ["PATH": "\(folder.path)/bin:/usr/bin:/bin"])
        let output = run.lines()
        let complaints = run.complaints()
        return (try run.child.waitUntilExit(), output, complaints)
    }

    private func text(of name: String) throws -> String {
        String(decoding: try readFile(at: "\(folder.path)/\(name)", bytesMax: 1 << 20).bytes, as: UTF8.self)
    }

    private static let builds = """
        mkdir -p built && printf '#!/bin/sh' >built/PhoneApp && chmod +x built/PhoneApp
        case "$*" in *--show-bin-path*) echo "$PWD/built" ;; *) echo "$*" >flags ;; esac
        """

    @Test("an app is packed as iOS lays it out, linked statically, and its path is printed last")
    func packed() throws {
        #expect(try belfry(["new-app", "--belfry", sourceFile(""), "Phone"]).output == ["Phone"])
        folder.makeFolder("Phone/Resources/de.lproj")
        folder.write(Array("a".utf8), to: "Phone/Resources/de.lproj/Localizable.strings")
        let run = try belfry(["pack"], in: "Phone", swift: Self.builds)
        #expect(run.exit.isSuccess && run.output.last?.hasSuffix("/Phone/PhoneApp.app") == true, "\(run)")
        #expect(run.output.last?.hasPrefix("/") == true && run.complaints.isEmpty)
        #expect(try text(of: "Phone/PhoneApp.app/PhoneApp") == "#!/bin/sh")
        #expect(try text(of: "Phone/PhoneApp.app/de.lproj/Localizable.strings") == "a")
        let information = try text(of: "Phone/PhoneApp.app/Info.plist")
        for word in ["com.example.PhoneApp", "<string>Phone</string>", "<string>voip</string>", "aps-environment"] {
            #expect(information.contains(word), "\(word)")
        }
        #expect(try text(of: "Phone/flags").contains("--static-swift-stdlib"))
        #expect(try text(of: "Phone/.gitignore") == ".build/\n*.app/\n")
    }

    @Test("an app without the background mode is packed, and that is told") func withoutMode() throws {
        #expect(try belfry(["new-app", "--belfry", sourceFile(""), "Phone"]).exit.isSuccess)
        let information = try text(of: "Phone/Resources/Info.plist").replacing("voip", with: "audio")
        folder.write(Array(information.utf8), to: "Phone/Resources/Info.plist")
        let run = try belfry(["pack"], in: "Phone", swift: Self.builds)
        #expect(run.exit.isSuccess && run.complaints.contains { $0.contains("UIBackgroundModes") }, "\(run)")
    }

    @Test("an identifier that no app may have is refused before anything is built") func badIdentifier() throws {
        #expect(try belfry(["new-app", "--belfry", sourceFile(""), "Phone"]).exit.isSuccess)
        let information = try text(of: "Phone/Resources/Info.plist")
        let bad = information.replacing("com.example.PhoneApp", with: "com.example.PhoneApp.voip")
        folder.write(Array(bad.utf8), to: "Phone/Resources/Info.plist")
        let run = try belfry(["pack"], in: "Phone", swift: Self.builds)
        #expect(!run.exit.isSuccess && run.complaints.contains { $0.contains("is a topic") }, "\(run)")
        #expect(unsafe access("\(folder.path)/Phone/built", F_OK) != 0)
    }

    /// A `swift` that builds the program of the call directory `NumbersDirectory`.
    private static let buildsDirectory = builds.replacing("PhoneApp", with: "NumbersDirectory")

    @Test("a call directory is packed alone, or into the PlugIns of an app") func directory() throws {
        #expect(try belfry(["new-extension", "--directory", "--belfry", sourceFile(""), "Numbers"]).exit.isSuccess)
        #expect(try text(of: "Numbers/Sources/NumbersDirectory/main.swift").contains("import DirectoryProcess"))
        let alone = try belfry(["pack"], in: "Numbers", swift: Self.buildsDirectory)
        #expect(alone.exit.isSuccess && alone.complaints.isEmpty, "\(alone)")
        #expect(alone.output.last?.hasSuffix("/Numbers/NumbersDirectory.appex") == true)
        #expect(try text(of: "Numbers/NumbersDirectory.appex/Info.plist").contains("com.apple.callkit.call-directory"))

        #expect(try belfry(["new-app", "--belfry", sourceFile(""), "Phone"]).exit.isSuccess)
        let early = try belfry(["pack", "--into", "../Phone/PhoneApp.app"], in: "Numbers", swift: Self.buildsDirectory)
        #expect(!early.exit.isSuccess && early.complaints.contains { $0.contains("belfry pack") }, "\(early)")
        #expect(try belfry(["pack"], in: "Phone", swift: Self.builds).exit.isSuccess)
        for _ in 1...2 {
            let run = try belfry(
                ["pack", "--into", "../Phone/PhoneApp.app"], in: "Numbers", swift: Self.buildsDirectory)
            #expect(run.exit.isSuccess, "\(run)")
            #expect(run.output.last == "\(folder.path)/Phone/PhoneApp.app/PlugIns/NumbersDirectory.appex")
            // com.example.NumbersDirectory is no part of com.example.PhoneApp.
            #expect(run.complaints.contains { $0.contains("does not begin with com.example.PhoneApp") }, "\(run)")
        }
        #expect(try text(of: "Phone/PhoneApp.app/PlugIns/NumbersDirectory.appex/NumbersDirectory") == "#!/bin/sh")
        let own = try text(of: "Numbers/Resources/Info.plist").replacing("com.example.", with: "com.example.PhoneApp.")
        folder.write(Array(own.utf8), to: "Numbers/Resources/Info.plist")
        let run = try belfry(["pack", "--into", "../Phone/PhoneApp.app"], in: "Numbers", swift: Self.buildsDirectory)
        #expect(run.exit.isSuccess && run.complaints.isEmpty, "\(run)")
        let app = try belfry(["pack", "--into", "PhoneApp.app"], in: "Phone", swift: Self.builds)
        #expect(!app.exit.isSuccess && app.complaints.contains { $0.contains("an app goes into no app") }, "\(app)")
    }

    @Test("a call directory without its extension point is packed, and that is told") func withoutPoint() throws {
        #expect(try belfry(["new-extension", "--directory", "--belfry", sourceFile(""), "Numbers"]).exit.isSuccess)
        let information = try text(of: "Numbers/Resources/Info.plist").replacing("call-directory", with: "other")
        folder.write(Array(information.utf8), to: "Numbers/Resources/Info.plist")
        let run = try belfry(["pack"], in: "Numbers", swift: Self.buildsDirectory)
        #expect(run.exit.isSuccess && run.complaints.contains { $0.contains("NSExtensionPointIdentifier") }, "\(run)")
    }

    @Test("an import knows the package's kind, runs the delegate, and tells what is missing and what is unwise")
    func imported() throws {
        #expect(try belfry(["new-app", "--belfry", sourceFile(""), "Phone"]).exit.isSuccess)
        let delegate = """
            import PushKit
            @main class Own: UIResponder, UIApplicationDelegate, PKPushRegistryDelegate {
                func pushRegistry(
                    _ r: PKPushRegistry, didReceiveIncomingPushWith p: PKPushPayload, for t: PKPushType
                ) { Task { signal() } }
            }
            """
        folder.write(Array(delegate.utf8), to: "Own.swift")
        let error = "$PWD/Sources/PhoneApp/Own.swift:5:16: error: cannot find 'signal' in scope"
        let run = try belfry(["import", "../Own.swift"], in: "Phone", swift: "echo \"\(error)\"; exit 1")
        #expect(run.output == ["Sources/PhoneApp/Own.swift:5: the app's own: cannot find 'signal' in scope"])
        #expect(run.complaints.contains { $0.contains("Own.swift:5: a Task in the method that receives a push") })
        #expect(run.complaints.contains("building the app: the first time takes some minutes"))
        #expect(run.complaints.contains("removed Sources/PhoneApp/AppDelegate.swift"))
        #expect(try text(of: "Phone/Sources/PhoneApp/main.swift").hasSuffix("UIApplication.run(Own())\n"))
        #expect(try text(of: "Phone/Sources/PhoneApp/Own.swift").contains("\n      class Own"))
    }
}
