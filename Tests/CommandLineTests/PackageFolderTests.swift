import BelfryCommandLine
import BelfryExtensionPackage
import BelfryPropertyList
import BelfrySyscalls
import Glibc
import Support
import Testing
@testable import belfry

/// The folders that `belfry pack` and `belfry import` write.
@Suite struct PackageFolderTests {
    private let folder = TemporaryFolder()

    @Test("what is removed is gone, what was not there is no mistake, and what stays is told of") func removal() throws
    {
        folder.write([], to: "file")
        folder.makeFolder("folder")
        let package = PackageFolder(path: folder.path)
        try package.remove("file")
        try package.remove("file")
        #expect(try package.names(in: ".") == ["folder"])
        let refusal = #expect(throws: CommandError.self) { try package.remove("folder") }
        #expect(refusal?.problem == "\(folder.path)/folder cannot be removed: Is a directory")
    }

    @Test("what is not there is nothing, and what cannot be read is told of") func reading() throws {
        let package = PackageFolder(path: folder.path)
        folder.write([1], to: "file")
        folder.makeFolder("folder")
        #expect(try package.read("file") == [1] && package.read("none") == nil)
        let refusal = #expect(throws: CommandError.self) { try package.read("folder") }
        #expect(refusal?.status == .notFound)
    }

    @Test("a program is called as its Info.plist says, if that is a name, else as its target")
    func executable() throws {
        let manifest = try #require(
            PackageManifest(
                """
                .executableTarget(
                    name: "Doorbell",
                    dependencies: [
                        .product(name: "ExtensionProcess", package: "belfry")
                    ]
                )
                """))
        let package = PackageFolder(path: folder.path)
        folder.makeFolder(PackageTemplate.resourceFolder)
        func executable(_ stated: String?) throws -> String {
            let name = stated.map { "<key>CFBundleExecutable</key><string>\($0)</string>" } ?? ""
            let keys = "<key>CFBundleIdentifier</key><string>a</string>\(name)"
            let plist = "<plist version=\"1.0\"><dict>\(keys)</dict></plist>"
            folder.write(Array(plist.utf8), to: "\(PackageTemplate.resourceFolder)/Info.plist")
            return try Packing.executable(in: package, manifest)
        }
        #expect(try executable(nil) == "Doorbell" && executable("Other") == "Other")
        for stated in ["", "a/b", "$(EXECUTABLE_NAME)", "Info.plist"] {
            #expect(throws: CommandError.self, "\(stated)") { try executable(stated) }
        }
    }

    @Test("an extension is laid out whole in place of the one before, of which nothing is left") func layOut() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            #expect(unsafe chdir(folder.path) == 0)
            folder.makeFolder("\(PackageTemplate.resourceFolder)/de.lproj")
            folder.write([1], to: "\(PackageTemplate.resourceFolder)/ring.wav")
            folder.write([2], to: "\(PackageTemplate.resourceFolder)/de.lproj/words")
            folder.write([3], to: "program")
            try Packing.layOut("A.appex", program: "program", as: "A")
            folder.write([4], to: "A.appex/old")
            try Packing.layOut("A.appex", program: "program", as: "A")
            let package = PackageFolder(path: folder.path)
            #expect(try package.names(in: ".") == ["A.appex", "program", PackageTemplate.resourceFolder].sorted())
            #expect(try package.names(in: "A.appex") == ["A", "de.lproj", "ring.wav"])
            #expect(try package.names(in: "A.appex/de.lproj") == ["words"])
            var status = stat()
            #expect(unsafe stat("A.appex/A", &status) == 0 && status.st_mode & 0o777 == 0o755)
            // Half of it is nothing.
            #expect(throws: SystemError.self) { try Packing.layOut("A.appex", program: "none", as: "A") }
            #expect(try package.names(in: "A.appex") == ["A", "de.lproj", "ring.wav"])
            #expect(try package.names(in: ".").count == 3)
        }
    }

    @Test("a String Catalog is packed as a table for each language; a table of plurals is left out")
    func catalog() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            #expect(unsafe chdir(folder.path) == 0)
            let resources = PackageTemplate.resourceFolder
            let text = #"{"stringUnit":{"state":"translated","value":"Hallo & mehr"}}"#
            let catalog = #"{"sourceLanguage":"en","strings":{"GREET":{"localizations":{"de":\#(text)}}}}"#
            folder.makeFolder("\(resources)/en.lproj")
            folder.write(Array(catalog.utf8), to: "\(resources)/Localizable.xcstrings")
            folder.write([1], to: "\(resources)/en.lproj/Localizable.stringsdict")
            folder.write([3], to: "program")
            let left = try Packing.layOut("A.appex", program: "program", as: "A")
            #expect(left == ["\(resources)/en.lproj/Localizable.stringsdict"])
            let package = PackageFolder(path: folder.path)
            #expect(try package.names(in: "A.appex") == ["A", "de.lproj", "en.lproj"])
            for (language, text) in [("de", "Hallo & mehr"), ("en", "GREET")] {
                #expect(try package.names(in: "A.appex/\(language).lproj") == ["Localizable.strings"])
                let bytes = try package.read("A.appex/\(language).lproj/Localizable.strings") ?? []
                #expect(try PropertyListDictionary.parse(bytes)["GREET"] == .string(text))
            }
            // Of two tables of one name one would be lost.
            folder.write([], to: "\(resources)/en.lproj/Localizable.strings")
            let both = #expect(throws: SystemError.self) {
                try Packing.layOut("A.appex", program: "program", as: "A")
            }
            #expect(both?.subject.contains("en.lproj/Localizable.strings beside it") == true)
            folder.write(Array("{}".utf8), to: "\(resources)/Other.xcstrings")
            #expect(throws: SystemError.self) { try Packing.layOut("A.appex", program: "program", as: "A") }
        }
    }

    @Test("nothing is packed from behind a link that leads out, of too many files, or by a name that is not in UTF-8")
    func refusals() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            #expect(unsafe chdir(folder.path) == 0)
            let resources = PackageTemplate.resourceFolder
            folder.makeFolder("secret")
            folder.write([1], to: "secret/id")
            folder.write([3], to: "program")
            func problem() -> String {
                do throws(SystemError) {
                    try Packing.layOut("A.appex", program: "program", as: "A")
                    return ""
                } catch {
                    #expect(unsafe access("A.appex", F_OK) != 0)
                    return "\(error)"
                }
            }
            for target in ["../secret", "../secret/id", "/", "/etc/passwd", "\(folder.path)/secret"] {
                folder.makeFolder("\(resources)/in")
                #expect(unsafe symlink(target, "\(resources)/l") == 0)
                #expect(problem().contains("\(resources)/l: a link that leads out"), "\(target)")
                TemporaryFolder.remove("\(folder.path)/\(resources)")
            }
            folder.makeFolder(resources)
            folder.write([1], to: "\(resources)/b\u{FFFD}")
            let made: [CChar] = (Array("\(resources)/a".utf8) + [0xFF, 0]).map { CChar(bitPattern: $0) }
            let file = unsafe open(made, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
            #expect(file >= 0)
            close(file)
            let reason1 = problem()
            #expect(reason1.contains("a\u{FFFD}: a name that is not in UTF-8"), "\(reason1)")
            unsafe unlink(made)
            // A folder of many is refused, and so are many in folders; as many as there may be are packed.
            folder.makeFolder("\(resources)/many")
            for number in 0..<(PackageFolder.filesMax - 2) { folder.write([], to: "\(resources)/many/\(number)") }
            #expect(unsafe symlink("many/0", "\(resources)/l") == 0)
            let reason2 = problem()
            #expect(reason2.contains("\(resources): more than 4096 files"), "\(reason2)")
            unsafe unlink("\(resources)/l")
            for number in 0..<3 { folder.write([], to: "\(resources)/many/more\(number)") }
            let reason3 = problem()
            #expect(reason3.contains("\(resources)/many: more than 4096 files"), "\(reason3)")
            for number in 0..<3 { unsafe unlink("\(resources)/many/more\(number)") }
            unsafe unlink("\(resources)/many/0")
            #expect(unsafe symlink("1", "\(resources)/many/0") == 0)
            let reason4 = problem()
            #expect(reason4.isEmpty, "\(reason4)")
            let package = PackageFolder(path: folder.path)
            let packed = try package.names(in: "A.appex/many")
            #expect(packed.count == PackageFolder.filesMax - 2)
        }
    }
}
