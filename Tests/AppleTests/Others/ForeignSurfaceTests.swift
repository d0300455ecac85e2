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

    @Test("bytes ask the session's delegate, or the load's, as data does") func delegates() async throws {
        let server = try unsafe HostileServer.shared.get()
        let redirected = try #require(URL(string: server.url("redirect-to?lines")))
        let locked = try #require(URL(string: server.url("password")))
        let own = URLSession(configuration: .default, delegate: Doorkeeper(knowsPassword: true), delegateQueue: nil)
        let stranger = Doorkeeper(knowsPassword: false)
        #expect(try await load(redirected, in: .shared).0 == 200)
        #expect(try await load(redirected, in: own).0 == 301)
        #expect(try await load(redirected, in: .shared, delegate: stranger).0 == 301)
        #expect(try await load(locked, in: own) == (200, Array("in".utf8)))
        #expect(try await load(locked, in: .shared) == (401, Array("out".utf8)))
        #expect(try await load(locked, in: own, delegate: stranger) == (401, Array("out".utf8)))
    }

    @Test("lines are as Apple's, and so are letters") func letters() async throws {
        let url = try #require(URL(string: try unsafe HostileServer.shared.get().url("lines")))
        #expect(try await lines(of: url) == ["a", "b", "c", "d", "e", "é🇩🇪f\u{FFFD}\u{FFFD}"])
        let text = "a\r\n\r\nb\n\nc\rd\u{85}e\u{2028}é🇩🇪f\u{FFFD}\u{FFFD}"
        let (letters, scalars) = try await ForeignSurface.letters(of: url)
        #expect(letters == Array(text) && scalars.elementsEqual(text.unicodeScalars))
    }

    @Test("what is not read yet waits in a file, and comes in its order") func flood() async throws {
        let server = try unsafe HostileServer.shared.get()
        let flood = try #require(URL(string: server.url("flood")))
        let late = try #require(URL(string: server.url("late/0.1/html")))
        let read = try await peek(flood, limit: 150_000) {
            var waiting: UInt64 = 0
            for _ in 0..<300 where waiting < 60 << 20 {
                _ = try await URLSession.shared.data(from: late)
                waiting = Self.largestFileWithoutName()
            }
            #expect(waiting >= 60 << 20)
        }
        let right = (0..<150_000).map { UInt8(truncatingIfNeeded: ($0 >> 16) >> (8 * (3 - $0 % 4))) }
        #expect(read == right)
    }

    /// How long the largest open file is that no name leads to.
    private static func largestFileWithoutName() -> UInt64 {
        let (files, folder) = (FileManager.default, "/proc/self/fd")
        let sizes = ((try? files.contentsOfDirectory(atPath: folder)) ?? []).map { name -> UInt64 in
            let target = (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) ?? ""
            guard target.hasSuffix(" (deleted)") else { return 0 }
            return (try? FileHandle(forReadingAtPath: "\(folder)/\(name)")?.seekToEnd()) ?? 0
        }
        return sizes.max() ?? 0
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

/// Refuses redirections, and answers for a password if it knows one.
private final class Doorkeeper: NSObject, URLSessionTaskDelegate {
    private let knowsPassword: Bool

    init(knowsPassword: Bool) { self.knowsPassword = knowsPassword }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard knowsPassword else { return completionHandler(.performDefaultHandling, nil) }
        completionHandler(.useCredential, URLCredential(user: "a", password: "b", persistence: .none))
    }
}
