import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import CallDirectory
import CallDirectoryFiles
import Glibc
import Support
import Testing

/// Loads of extensions in processes of their own, by the loader as it is installed.
@Suite struct ExtensionLoadTests {
    @Test("Xcode's template loads unchanged: whole, then a difference")
    func template() throws {
        let tried = try LoadedExtension(nil)
        let first = try tried.load()
        #expect(first.isGood && first.warnings.isEmpty && first.complaints.isEmpty, "\(first)")
        #expect(first.count("rows") == 4 && first.count("blocked") == 2 && first.count("identified") == 2)
        #expect(first.objects.last?["incremental"] == .bool(false))
        #expect(
            try tried.rows()
                == ["14085555555!", "18005555555!", "18775555555 Telemarketer", "18885555555 Local business"])
        #expect(try tried.record()?.app == "Numbers" && tried.record()?.failure == nil)
        let second = try tried.load()
        #expect(second.isGood && second.objects.last?["incremental"] == .bool(true), "\(second)")
        #expect(
            try tried.rows()
                == ["14085551234!", "14085555555!", "14085555678 New local business", "18775555555 Telemarketer"])
    }

    @Test(
        "a fault is refused with Apple's code, wherever it is, and the rows of before stay",
        arguments: [
            (9_998, 3), (9_998, 4), (9_999, 3), (9_999, 4), (10_000, 3), (10_000, 4), (24_999, 3), (24_999, 4),
        ])
    func faults(before: Int64, code: Int64) throws {
        let tried = try LoadedExtension("block 4930000000\ncomplete")
        #expect(try tried.load().isGood)
        let last = 4_930_000_000 + before - 1
        tried.write("range 4930000000 \(last)\nblock \(code == 4 ? last : last - 1)\ncomplete")
        let load = try tried.load()
        #expect(load.code == code && load.status == .exited(code: 1), "\(load)")
        #expect(load.problem.hasPrefix("blocking entry \(before + 1) is "))
        #expect(load.warnings == [code == 4 ? "directory-duplicate" : "directory-order"])
        #expect(load.output == ["failed \(code)", "expired true"])
        #expect(try tried.rows() == ["4930000000!"] && tried.leftovers().isEmpty)
        #expect(try tried.record()?.failure?.code.rawValue == Int(code))
        tried.write("range 4930000000 \(last)\ncomplete")
        #expect(try tried.load().count("rows") == before)
        #expect(try tried.record()?.failure == nil)
    }

    @Test("no entry at all is a load; each kind has its order, and a number may be of both")
    func emptyAndBoth() throws {
        let tried = try LoadedExtension("complete")
        #expect(try tried.load().isGood && tried.rows() == [])
        tried.write("label 4930000001 a b\nblock 4930000000\nlabel 4930000002\nblock 4930000001\ncomplete")
        let load = try tried.load()
        #expect(load.count("rows") == 3 && load.count("blocked") == 2 && load.count("identified") == 2, "\(load)")
        #expect(try tried.rows() == ["4930000000!", "4930000001! a b", "4930000002 "])
    }

    @Test("a load is incremental after one that succeeded; code that does not ask replaces everything")
    func incremental() throws {
        let tried = try LoadedExtension("incremental\nblock 4930000003 4930000001\ncomplete")
        #expect(try tried.load().output.first == "incremental false")
        tried.write("incremental\nblock 4930000001 4930000003\ncomplete")
        let whole = try tried.load()
        #expect(whole.isGood && whole.output == ["incremental false", "expired false"], "\(whole)")
        tried.write("incremental\nblock 4930000002 4930000001\ncomplete")
        #expect(try tried.load().code == 3)
        tried.write("incremental\nunblock 4930000001\nblock 4930000002\ncomplete")
        #expect(try tried.load().output == ["incremental true", "expired false"])
        #expect(try tried.rows() == ["4930000002!", "4930000003!"])
        tried.write("block 4930000009\ncomplete")
        let other = try tried.load()
        #expect(other.objects.last?["incremental"] == .bool(false))
        #expect(try tried.rows() == ["4930000009!"])
        // Without its rows, as after it was switched off.
        try tried.directory().removeTable(of: tried.owner)
        tried.write("incremental\ncomplete")
        #expect(try tried.load().output.first == "incremental false")
    }

    @Test("a removal in a whole load is refused with 8")
    func removalWhenWhole() throws {
        let tried = try LoadedExtension("block 4930000001\nunblock 4930000001\ncomplete")
        let one = try tried.load()
        #expect(one.code == 8 && one.warnings == ["directory-remove-full"], "\(one)")
        tried.write("unblock-all\ncomplete")
        #expect(try tried.load().code == 8)
        #expect(try tried.rows() == nil)
    }

    @Test(
        "code that ends before it completes leaves all as it was: 2",
        arguments: [("exit 0", "with status 0"), ("exit 3", "with status 3"), ("kill", "by signal 9")])
    func ends(by way: String, words: String) throws {
        let tried = try LoadedExtension("block 4930000001\ncomplete")
        #expect(try tried.load().isGood)
        tried.write("range 4930000100 4930020000\n\(way)")
        let load = try tried.load()
        #expect(load.code == 2 && load.problem.hasSuffix(words), "\(load)")
        #expect(try tried.rows() == ["4930000001!"] && tried.leftovers().isEmpty)
    }

    @Test("code that hangs, and code that returns without completing, have their time: 2", arguments: ["hang", "log"])
    func neverCompletes(way: String) throws {
        let tried = try LoadedExtension("block 4930000001\n\(way)")
        let load = try tried.load(LoadedExtension.id, ["BELFRY_DIRECTORY_LOAD_TIMEOUT": "2s"])
        #expect(load.code == 2 && load.problem.contains("not completed its request within 2 s"), "\(load)")
        #expect(try tried.rows() == nil && tried.leftovers().isEmpty)
    }

    @Test("what comes after the end is lost, and told; the second completion, too")
    func afterTheEnd() throws {
        let tried = try LoadedExtension("block 4930000001\ncomplete\nrange 4930000002 4930000008\nlabel 1 a\ncomplete")
        let load = try tried.load()
        #expect(load.isGood && load.warnings == ["directory-incomplete", "directory-async"], "\(load)")
        #expect(load.details.last?.hasPrefix("8 entries ") == true)
        #expect(load.output.sorted() == ["expired false", "expired true"])
        #expect(try tried.rows() == ["4930000001!"])
    }

    @Test("an error by which the code cancels reaches whoever has asked")
    func cancels() throws {
        let tried = try LoadedExtension("block 4930000001\ncancel 17")
        let load = try tried.load()
        let error = load.objects.last?["cancelled"]?.objectValue
        #expect(load.code == 0 && error?["domain"] == .string("app") && error?["code"] == .integer(17), "\(load)")
        #expect(try tried.rows() == nil)
    }

    @Test("too many entries, of both kinds together: 5")
    func tooMany() throws {
        let tried = try LoadedExtension("range 4930000001 4930000010\nlabels 4930000001 4930000010\ncomplete")
        #expect(try tried.load(LoadedExtension.id, ["BELFRY_DIRECTORY_MAX_ENTRIES": "20"]).isGood)
        let load = try tried.load(LoadedExtension.id, ["BELFRY_DIRECTORY_MAX_ENTRIES": "19"])
        #expect(load.code == 5 && load.problem == "there are more than 19 entries", "\(load)")
    }

    @Test("an extension that is unknown, disabled, broken or being loaded: 1, 6, 2, 7")
    func refusals() throws {
        let tried = try LoadedExtension("hang", isEnabled: false)
        let unknown = try tried.load("com.example.other")
        #expect(unknown.code == 1 && unknown.problem.contains(LoadedExtension.id), "\(unknown)")
        #expect(try tried.load().code == 6)
        try tried.change { $0.all[0].isEnabled = true }
        let lock = try tried.directory().tryLock(tried.owner)
        let second = try tried.load()
        #expect(second.code == 7 && second.status == .exited(code: 1), "\(second)")
        #expect(try tried.record()?.failure == nil)
        _ = consume lock
        let broken = try LoadedExtension(python: "")
        broken.folder.write(Array("#!/nowhere\n".utf8), to: "Played.appex/Played")
        let load = try broken.load()
        #expect(load.code == 2, "\(load)")
        #expect(try broken.record()?.failure?.code == .loadingInterrupted)
    }

    @Test("an extension in an app's PlugIns is found, and has the app's name; one of another kind is none")
    func inApp() throws {
        let tried = try LoadedExtension("complete")
        tried.folder.makeFolder("Phone.app")
        tried.folder.makeFolder("Phone.app/PlugIns")
        let plist =
            "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>com.example.app</string></dict></plist>"
        tried.folder.write(Array(plist.utf8), to: "Phone.app/Info.plist")
        unsafe chmod(tried.folder.write([], to: "Phone.app/Phone"), 0o755)
        let inside = "\(tried.folder.path)/Phone.app/PlugIns/Played.appex"
        unsafe symlink("\(tried.folder.path)/Played.appex", inside)
        let settings: [String: String?] = [
            "BELFRY_APPS": "\(tried.folder.path)/Phone.app", "BELFRY_DIRECTORY_EXTENSIONS": nil,
        ]
        #expect(try tried.load(LoadedExtension.id, settings).isGood)
        #expect(try tried.record()?.app == "Phone")
        let other = plist.replacing("com.example.app", with: LoadedExtension.id)
        tried.folder.write(Array(other.utf8), to: "Played.appex/Info.plist")
        #expect(try tried.load(LoadedExtension.id, settings).code == 1)
        let alone = try tried.load()
        #expect(alone.code == 1 && alone.complaints.first?.contains("is no call directory") == true, "\(alone)")
    }

    @Test("a load during a load is refused with 7, and the first goes on until it is stopped")
    func loadDuringLoad() throws {
        let tried = try LoadedExtension("log\nrange 4930000001 4930010001\nhang")
        let first = try tried.start()
        // It is in beginRequest.
        #expect(first.line()?.contains("logged") == true)
        #expect(try tried.load().code == 7)
        try first.child.signal(SIGTERM)
        let end = try tried.end(first)
        #expect(end.code == 2 && end.problem == "the load was stopped" && end.status == .exited(code: 1), "\(end)")
        #expect(try tried.leftovers().isEmpty)
        tried.write("complete")
        #expect(try tried.load().isGood)
    }

    @Test("an extension that was disabled meanwhile is not loaded: 6")
    func disabledMeanwhile() throws {
        let tried = try LoadedExtension(
            python: """
                say("removeAll", kind="blocking") if False else None
                print("waits", flush=True)
                while not os.path.exists(os.path.dirname(sys.argv[0]) + "/go"): time.sleep(0.01)
                say("complete")
                for line in lines: say("done")
                """)
        let run = try tried.start()
        #expect(run.line()?.contains("waits") == true)
        try tried.change { $0.all[0].isEnabled = false }
        tried.folder.write([], to: "Played.appex/go")
        #expect(try tried.end(run).code == 6)
        #expect(try tried.rows() == nil)
    }

    @Test("groups, their containers, print and the logger are there as in other extensions")
    func surroundings() throws {
        let tried = try LoadedExtension("group group.a\ncontainer group.a\nlog\nnice\ncomplete")
        tried.folder.makeFolder("state/groups/group.a")
        tried.folder.write(Array("4930000001\n4930000002\n".utf8), to: "state/groups/group.a/numbers.txt")
        let first = try tried.load()
        #expect(first.isGood && first.output.contains("group nothing"), "\(first)")
        #expect(first.output.contains { $0.contains("logged") } && first.output.contains("nice 10"), "\(first)")
        #expect(try tried.rows() == ["4930000001!", "4930000002!"])
        #expect(try tried.load().output.contains("group loaded"))
    }

    @Test("numbers that no call has are kept, and told once with how many")
    func odd() throws {
        let tried = try LoadedExtension(
            "block -9223372036854775808 -1 0 1234567 12345678 999999999999999 1000000000000000 9223372036854775807"
                + "\ncomplete")
        let load = try tried.load()
        #expect(load.isGood && load.warnings == ["directory-format"] && load.count("rows") == 8, "\(load)")
        #expect(load.details.first?.hasPrefix("6 entries ") == true)
    }

    @Test("everything again where only changes are wanted is told")
    func fullAsDifference() throws {
        let tried = try LoadedExtension("incremental\nrange 4930000001 4930000200\ncomplete")
        #expect(try tried.load().warnings.isEmpty)
        #expect(try tried.load().warnings == ["directory-full-as-diff"])
        tried.write("incremental\nunblock-all\nrange 4930000001 4930000200\ncomplete")
        #expect(try tried.load().warnings.isEmpty)
        tried.write("incremental\nrange 4930000201 4930000210\ncomplete")
        #expect(try tried.load().warnings.isEmpty)
        #expect(try tried.rows()?.count == 210)
    }

    @Test("more memory than [Directory] LoadMemory= ends the load: 2")
    func memory() throws {
        let tried = try LoadedExtension("hold 300\nblock 4930000001\nhang")
        let load = try tried.load(LoadedExtension.id, ["BELFRY_DIRECTORY_LOAD_MEMORY": "200M"])
        #expect(load.code == 2 && load.warnings == ["directory-memory"], "\(load)")
    }
}
