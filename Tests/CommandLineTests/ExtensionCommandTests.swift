import BelfryCommandLine
import BelfrySyscalls
import Glibc
import Support
import Testing

/// What `belfry new-extension`, `import` and `pack` say where something is wrong. That they work with the real tool
/// chain is shown by Tests/casts.
@Suite struct ExtensionCommandTests {
    let folder = TemporaryFolder()

    /// What `belfry` says in `place`, with a `swift` that is the script `swift` or is not there.
    private func belfry(
        _ words: [String], in place: String = "", swift: String? = nil
    ) throws -> (exit: ChildExit, output: [String], complaints: [String]) {
        var path = "/nowhere"
        if let swift {
            path = folder.makeFolder("bin")
            let script = folder.write(Array("#!/bin/sh\n\(swift)\n".utf8), to: "bin/swift")
            unsafe chmod(script, 0o755)
        }
        let run = try ProgramRun(
            "/bin/sh",
            ["-c", "cd \"$1\" && shift && exec \"$@\"", "sh", "\(folder.path)/\(place)"]
                + [testedProgram("belfry")] + words, environment: ["PATH": "\(path):/usr/bin:/bin"])
        let output = run.lines()
        let complaints = run.complaints()
        return (try run.child.waitUntilExit(), output, complaints)
    }

    /// Makes a package in the folder `name`.
    private func makePackage(_ name: String = "app") throws {
        let made = try belfry(["new-extension", "--belfry", sourceFile(""), name])
        #expect(made.exit.isSuccess && made.output == [name], "\(made)")
    }

    private func text(of name: String) throws -> String {
        String(decoding: try readFile(at: "\(folder.path)/\(name)", bytesMax: 1 << 20).bytes, as: UTF8.self)
    }

    @Test("a folder that is there is left alone, unless it is empty")
    func folderThatIsThere() throws {
        folder.makeFolder("empty")
        try makePackage("empty")
        let again = try belfry(["new-extension", "--belfry", sourceFile(""), "empty"])
        #expect(again.exit == .exited(code: 69) && again.complaints.count == 1, "\(again)")
        folder.write([], to: "file")
        for name in ["file", "file/inner"] {
            #expect(try belfry(["new-extension", "--belfry", sourceFile(""), name]).exit == .exited(code: 69))
        }
        for name in [".", "/", "a/.."] { #expect(try belfry(["new-extension", name]).exit == .exited(code: 64)) }
        let nowhere = try belfry(["new-extension", "--belfry", "/nowhere", "other"])
        #expect(nowhere.exit == .exited(code: 66) && nowhere.complaints.count == 1)
    }

    @Test("outside of an extension's package, each says so in a line")
    func outside() throws {
        folder.write(Array("let a = 1".utf8), to: "A.swift")
        for words in [["import", "A.swift"], ["pack"]] {
            let run = try belfry(words)
            #expect(run.exit == .exited(code: 66) && run.complaints.count == 1 && run.output.isEmpty, "\(run)")
        }
        folder.write(Array("// swift-tools-version: 6.2".utf8), to: "Package.swift")
        #expect(try belfry(["pack"]).complaints.first?.contains("ExtensionProcess") == true)
    }

    @Test("a file that cannot be imported is named, and then none is")
    func files() throws {
        try makePackage()
        folder.write([0xFF], to: "binary.swift")
        folder.write([], to: "A.swift")
        folder.makeFolder("folder.swift")
        folder.makeFolder("b")
        folder.write([], to: "b/A.swift")
        folder.write([UInt8](repeating: 32, count: 5 << 20), to: "huge.swift")
        for (names, code) in [
            (["A.swift", "missing.swift"], 66), (["folder.swift"], 64), (["binary.swift"], 65), (["huge.swift"], 66),
            (["A.swift", "b/A.swift"], 64), (["main.swift"], 64), (["ring.mp3"], 64),
        ] as [([String], Int32)] {
            let run = try belfry(["import"] + names.map { "../\($0)" }, in: "app")
            #expect(run.exit == .exited(code: code) && run.complaints.count == 1, "\(names): \(run)")
        }
        #expect(throws: SystemError.self) { try text(of: "app/Sources/AppExtension/A.swift") }
    }

    @Test("a folder, and Objective-C, have a sentence of their own")
    func ofOtherKinds() throws {
        try makePackage()
        folder.makeFolder("Service")
        for (name, words) in [
            ("Service", ["is a folder", "belfry import ../Service/*.swift"]),
            ("N.m", ["Objective-C", "write what it does in Swift"]), ("N.mm", ["Objective-C"]),
            ("ring.mp3", ["neither a Swift file nor a header"]),
        ] {
            let run = try belfry(["import", "../\(name)"], in: "app")
            #expect(run.exit == .exited(code: 64) && run.complaints.count == 1, "\(run)")
            for word in words { #expect(run.complaints.first?.contains(word) == true, "\(run.complaints)") }
        }
    }

    @Test("what the compiler says is shown only with --verbose, or where nothing else says what is wrong")
    func verbose() throws {
        try makePackage()
        folder.write(Array("let b: Keychain?\n".utf8), to: "A.swift")
        let error = "echo \"$PWD/Sources/AppExtension/A.swift:1:8: error: cannot find type 'Keychain' in scope\""
        let swift = "\(error); echo noise >&2; exit 1"
        let quiet = try belfry(["import", "../A.swift"], in: "app", swift: swift)
        #expect(quiet.output.count == 1 && !quiet.complaints.contains { $0.contains("error:") || $0 == "noise" })
        #expect(quiet.complaints.contains("building the extension: the first time takes some minutes"), "\(quiet)")
        let loud = try belfry(["import", "--verbose", "../A.swift"], in: "app", swift: swift)
        #expect(loud.output == quiet.output && loud.complaints.contains("noise"))
        let other = try belfry(["import", "../A.swift"], in: "app", swift: "echo no space left >&2; exit 1")
        #expect(other.complaints.contains("no space left") && other.output.isEmpty)
    }

    @Test("what the compiler misses is listed, and a build that fails for another reason is told apart")
    func missing() throws {
        try makePackage()
        folder.write(Array("@objc class A {}\nlet b: Keychain?\n".utf8), to: "A.swift")
        let error = "$PWD/Sources/AppExtension/A.swift:2:8: error: cannot find type 'Keychain' in scope"
        let run = try belfry(["import", "../A.swift"], in: "app", swift: "echo \"\(error)\"; exit 1")
        #expect(run.exit == .exited(code: 1))
        #expect(run.output == ["Sources/AppExtension/A.swift:2: the app's own: cannot find type 'Keychain' in scope"])
        #expect(try text(of: "app/Sources/AppExtension/A.swift").hasPrefix("      class A {}\n"))
        let json = try belfry(["import", "--json", "../A.swift"], in: "app", swift: "echo \"\(error)\"; exit 1")
        #expect(json.output.first?.contains(#""line":2,"#) == true)
        let other = try belfry(["import", "../A.swift"], in: "app", swift: "echo no space left; exit 1")
        #expect(other.exit == .exited(code: 1) && other.complaints.last?.contains("see above") == true)
        let none = try belfry(["import", "../A.swift"], in: "app", swift: "exit 0")
        #expect(none.exit.isSuccess && none.output.isEmpty)
        // A module that is nowhere is told without a build.
        folder.write(Array("import Alamofire\n".utf8), to: "B.swift")
        let module = try belfry(["import", "../B.swift"], in: "app", swift: "exit 0")
        #expect(module.exit == .exited(code: 1) && module.output.first?.contains("Alamofire") == true, "\(module)")
    }

    @Test("a source that is a link out of the package is refused")
    func linkOut() throws {
        try makePackage()
        folder.write(Array("let a = 1".utf8), to: "A.swift")
        #expect(unsafe symlink("../../../A.swift", "\(folder.path)/app/Sources/AppExtension/B.swift") == 0)
        let run = try belfry(["import", "../A.swift"], in: "app", swift: "true")
        let isTold = run.complaints.first?.contains("B.swift: a link that leads out") == true
        #expect(run.exit == .exited(code: 69) && isTold, "\(run)")
    }

    @Test("an extension is packed with its resources, in place of the one that was there")
    func pack() throws {
        try makePackage()
        folder.makeFolder("app/Resources/de.lproj")
        folder.write(Array("a".utf8), to: "app/Resources/de.lproj/Localizable.strings")
        let swift = """
            mkdir -p built && printf '#!/bin/sh' >built/AppExtension && chmod +x built/AppExtension
            case "$*" in *--show-bin-path*) echo "$PWD/built" ;; *) echo "$*" >flags ;; esac
            """
        for _ in 0..<2 {
            let run = try belfry(["pack"], in: "app", swift: swift)
            #expect(run.exit.isSuccess && run.output.last?.hasSuffix("/app/AppExtension.appex") == true, "\(run)")
        }
        #expect(try text(of: "app/AppExtension.appex/AppExtension") == "#!/bin/sh")
        #expect(try text(of: "app/AppExtension.appex/de.lproj/Localizable.strings") == "a")
        // Said as long as nothing is built.
        let first = "building for release: the first time takes some minutes, later ones seconds"
        TemporaryFolder.remove("\(folder.path)/app/built")
        let unbuilt = "case \"$*\" in *--show-bin-path*) echo \"$PWD/built\" ;; *) exit 1 ;; esac"
        #expect(try belfry(["pack"], in: "app", swift: unbuilt).complaints.contains(first))
        #expect(try !belfry(["pack"], in: "app", swift: swift).complaints.contains(first))
        let flags = try text(of: "app/flags")
        #expect(flags.contains("--configuration release") && flags.contains("--static-swift-stdlib"))
        let failed = try belfry(["pack"], in: "app", swift: "exit 1")
        #expect(failed.exit == .exited(code: 1) && failed.output.isEmpty)
    }

    @Test("an Info.plist that no host would take is told before anything is built")
    func information() throws {
        try makePackage()
        let key = { (name: String, text: String) in "<key>\(name)</key><string>\(text)</string>" }
        let identifier = key("CFBundleIdentifier", "com.example.a")
        for (content, code) in [
            ("no list", 65), ("<plist><dict></dict></plist>", 65),
            ("<plist><dict>\(key("CFBundleIdentifier", "$(PRODUCT_BUNDLE_IDENTIFIER)"))</dict></plist>", 65),
            ("<plist><dict>\(identifier)\(key("CFBundleExecutable", "$(EXECUTABLE_NAME)"))</dict></plist>", 65),
        ] as [(String, Int32)] {
            folder.write(Array(content.utf8), to: "app/Resources/Info.plist")
            let run = try belfry(["pack"], in: "app", swift: "touch built")
            #expect(run.exit == .exited(code: code) && run.complaints.count == 1, "\(content): \(run)")
        }
        TemporaryFolder.remove("\(folder.path)/app/Resources")
        #expect(try belfry(["pack"], in: "app", swift: "touch built").exit == .exited(code: 66))
        #expect(throws: SystemError.self) { try text(of: "app/built") }
    }
}
