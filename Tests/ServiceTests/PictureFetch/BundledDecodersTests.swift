@testable import PictureFetch
import Support
import Testing

/// Whose decoders a fetcher uses: those that came with it in a tarball, or the machine's.
@Suite struct BundledDecodersTests {
    @Test func aListBesideTheProgramIsUsed() {
        let folder = TemporaryFolder()
        let program = "\(folder.path)/bin/belfry-avatar"
        #expect(BundledDecoders.folder(ofProgram: program) == nil)
        let libraries = folder.makeFolder("lib/belfry")
        #expect(BundledDecoders.folder(ofProgram: program) == nil)
        folder.write([], to: "lib/belfry/loaders.cache")
        #expect(BundledDecoders.folder(ofProgram: program) == libraries)
    }

    @Test(arguments: [nil, "", "belfry-avatar", "/belfry-avatar"])
    func withoutAFolderThereIsNone(path: String?) {
        #expect(BundledDecoders.folder(ofProgram: path) == nil)
    }
}
