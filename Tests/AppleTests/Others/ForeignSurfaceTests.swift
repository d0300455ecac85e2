import BelfryAppleGround
import BelfryTerms
import ForeignSurface
import Foundation
import FoundationNetworking
import KeeperChannel
import Support
import Synchronization
import Testing

/// What published extensions name beside notifications, where the file that is made in their module brings it.
@Suite struct ForeignSurfaceTests {
    private let folder = TemporaryFolder()

    @Test("the bytes of a response come one after another, and may be left early") func bytes() async throws {
        let server = try unsafe HostileServer.shared.get()
        let url = try #require(URL(string: server.url("png")))
        let (all, status) = try await download(url, limit: .max)
        let (whole, _) = try await URLSession.shared.data(from: url)
        #expect(status == 200 && all == whole && all.count > 10)
        let endless = try #require(URL(string: server.url("endless")))
        #expect(try await download(endless, limit: 100_000).0.count == 100_000)
        let nowhere = try #require(URL(string: "http://127.0.0.1:1/"))
        await #expect(throws: (any Error).self) { try await download(nowhere, limit: 1) }
        let page = try #require(URL(string: server.url("html")))
        let (text, _) = try await URLSession.shared.data(from: page)
        #expect(
            try await lines(of: page).first
                == String(decoding: text, as: UTF8.self).split(separator: "\n").first.map(String.init))
    }

    @Test("each way to look up a text asks the same tables") func localized() throws {
        folder.makeFolder("Name.bundle/de.lproj")
        folder.write(Array("\"GREET\" = \"Hallo\";".utf8), to: "Name.bundle/de.lproj/Localizable.strings")
        let path = "\(folder.path)/Name.bundle"
        let greeting = KeeperGreeting(stateDirectory: folder.path, memoryBytesMax: 1)
        let door = KeeperDoor.open(greeting, bundle: path) { _ in }
        defer { door.close() }
        let bundle = try #require(Bundle(path: path))
        door.run { #expect(texts(bundle) == [String](repeating: "Hallo", count: 6)) }
    }

    @Test("a challenge about a server's certificate compiles and is refused, and so is waiting for a network")
    func refused() throws {
        let warned = Mutex<[String]>([])
        let greeting = KeeperGreeting(stateDirectory: folder.path, memoryBytesMax: 1)
        let door = KeeperDoor.open(greeting) { word in
            if case .warning(.unsupported, let detail) = word { warned.withLock { $0.append(detail) } }
        }
        defer { door.close() }
        door.run {
            let downloader = Downloader()
            #expect(downloader.session().configuration.timeoutIntervalForRequest > 0)
            let space = URLProtectionSpace(
                host: "a.example", port: 443, protocol: "https", realm: nil,
                authenticationMethod: NSURLAuthenticationMethodDefault)
            #expect(!downloader.trusts(space))
        }
        for what in ["URLSessionConfiguration.waitsForConnectivity", "URLProtectionSpace.serverTrust"] {
            #expect(warned.withLock { $0 }.contains(what), "\(what)")
        }
    }

    @Test("who calls is found in the file of vCards that the extension may read") func contacts() {
        let path = folder.write(Array("BEGIN:VCARD\nN:Lovelace;Ada\nTEL:+442079460018\nEND:VCARD\n".utf8), to: "a.vcf")
        let greeting = KeeperGreeting(stateDirectory: folder.path, memoryBytesMax: 1, contactsFile: path)
        let door = KeeperDoor.open(greeting) { _ in }
        defer { door.close() }
        door.run {
            #expect(callerName("020 7946 0018") == "Ada Lovelace")
            #expect(callerName("110") == nil)
        }
    }
}
