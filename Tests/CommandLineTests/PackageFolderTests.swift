import BelfryCommandLine
import BelfryExtensionPackage
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
        #expect(package.names(in: ".") == ["folder"])
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
        folder.makeFolder(ExtensionTemplate.resourceFolder)
        func executable(_ stated: String?) throws -> String {
            let name = stated.map { "<key>CFBundleExecutable</key><string>\($0)</string>" } ?? ""
            let keys = "<key>CFBundleIdentifier</key><string>a</string>\(name)"
            let plist = "<plist version=\"1.0\"><dict>\(keys)</dict></plist>"
            folder.write(Array(plist.utf8), to: "\(ExtensionTemplate.resourceFolder)/Info.plist")
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
            folder.makeFolder("\(ExtensionTemplate.resourceFolder)/de.lproj")
            folder.write([1], to: "\(ExtensionTemplate.resourceFolder)/ring.wav")
            folder.write([2], to: "\(ExtensionTemplate.resourceFolder)/de.lproj/words")
            folder.write([3], to: "program")
            try Packing.layOut("A.appex", program: "program", as: "A")
            folder.write([4], to: "A.appex/old")
            try Packing.layOut("A.appex", program: "program", as: "A")
            let package = PackageFolder(path: folder.path)
            #expect(package.names(in: ".") == ["A.appex", "program", ExtensionTemplate.resourceFolder].sorted())
            #expect(package.names(in: "A.appex") == ["A", "de.lproj", "ring.wav"])
            #expect(package.names(in: "A.appex/de.lproj") == ["words"])
            var status = stat()
            #expect(unsafe stat("A.appex/A", &status) == 0 && status.st_mode & 0o777 == 0o755)
            // Half of it is nothing.
            #expect(throws: SystemError.self) { try Packing.layOut("A.appex", program: "none", as: "A") }
            #expect(package.names(in: "A.appex") == ["A", "de.lproj", "ring.wav"])
            #expect(package.names(in: ".").count == 3)
        }
    }
}
