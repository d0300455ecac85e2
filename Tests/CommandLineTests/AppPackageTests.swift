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
