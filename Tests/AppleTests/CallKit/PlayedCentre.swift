import BelfryAppDoor
import BelfryProtocol
import BelfrySyscalls
import CallChannel
import Foundation
import Glibc
import Support

/// A `belfry-calls` that is played, at a real socket: one app at a time connects to it.
final class PlayedCentre: @unchecked Sendable {
    /// What an app does.
    enum News: Hashable, Sendable {
        case connected
        case said(AppMessage)
        case nonsense(String)
        case left
    }

    let folder: TemporaryFolder
    let path: String
    private let news: AsyncStream<News>
    private let tell: AsyncStream<News>.Continuation
    private var iterator: AsyncStream<News>.Iterator
    private let lock = NSLock()
    private var listener: Int32 = -1
    private var peer: Int32 = -1
    private var passed: [PassedFile] = []

    /// One that listens, unless it shall not be there yet.
    init(isThere: Bool = true, folder: TemporaryFolder = TemporaryFolder()) throws {
        self.folder = folder
        path = "\(folder.path)/calls.sock"
        (news, tell) = AsyncStream.makeStream()
        iterator = news.makeAsyncIterator()
        if isThere { try come() }
    }

    deinit { leave() }

    /// Listens.
    func come() throws {
        let listener = try listenPrivately(at: path, backlog: 8).release()
        lock.withLock { self.listener = listener }
        // Blocks, as its thread does nothing else.
        _ = fcntl(listener, F_SETFL, 0)
        let thread = Thread { [weak self, tell] in
            while true {
                let peer = accept(listener, nil, nil)
                guard peer >= 0 else { break }
                self?.lock.withLock { self?.peer = peer }
                tell.yield(.connected)
                Self.read(peer, tell) { passed in self?.lock.withLock { self?.passed += passed } }
                self?.lock.withLock { self?.peer = -1 }
                close(peer)
                tell.yield(.left)
            }
            close(listener)
        }
        thread.start()
    }

    /// The files that the app has passed.
    var files: [PassedFile] { lock.withLock { passed } }

    private static func read(
        _ peer: Int32, _ tell: AsyncStream<News>.Continuation, passed: ([PassedFile]) -> Void
    ) {
        var framing = LineFraming(lineBytesMax: CallLimits.lineBytesMax)
        while true {
            _ = isReady(peer, for: POLLIN, within: -1)
            let (bytes, files) = receiveSome(from: peer, bytesMax: 64 << 10)
            passed(files)
            guard !bytes.isEmpty, let lines = try? framing.take(bytes) else { return }
            for line in lines {
                let message = try? AppMessage.read(line)
                tell.yield(message.map(News.said) ?? .nonsense(String(decoding: line, as: UTF8.self)))
            }
        }
    }

    /// Hangs up.
    func hangUp() { lock.withLock { _ = shutdown(peer, Int32(SHUT_RDWR)) } }

    /// Hangs up, and listens no more.
    func leave() {
        lock.withLock {
            if peer >= 0 { shutdown(peer, Int32(SHUT_RDWR)) }
            if listener >= 0 { shutdown(listener, Int32(SHUT_RDWR)) }
            listener = -1
        }
        unsafe unlink(path)
    }

    /// Says that to the app.
    func say(_ word: AppWord) { say(word.line) }

    /// Sends these bytes to the app.
    func say(_ bytes: [UInt8]) { lock.withLock { _ = sendAll(bytes, passing: nil, to: peer) } }

    /// What the app does next.
    func next() async -> News? { await iterator.next(isolation: #isolation) }

    /// The next message of the app that `pick` takes; the others are passed over.
    func first<Value>(_ pick: (AppMessage) -> Value?) async -> Value? {
        while let news = await next() {
            if case .said(let message) = news, let value = pick(message) { return value }
        }
        return nil
    }

    /// Lets an app in: its messages up to its welcome are `count`, after its connection.
    func welcome(after count: Int) async -> [AppMessage] {
        var said: [AppMessage] = []
        while said.count < count, let news = await next() {
            if case .said(let message) = news { said.append(message) }
        }
        say(.welcome(AppWelcome(stateDirectory: folder.path)))
        return said
    }
}

/// An app that uses Apple's modules in this process, beside other tests.
struct PlayedApp {
    let centre: PlayedCentre
    let hello: AppHello
    let door: AppDoor

    init(isThere: Bool = true) throws {
        centre = try PlayedCentre(isThere: isThere)
        var hello = AppHello(id: "com.example.phone", pid: Int64(getpid()))
        hello.hasVoIPMode = true
        self.hello = hello
        door = AppDoor.open(socketPath: centre.path, hello: hello)
    }

    /// What the app hears, in words.
    var words: AsyncStream<String>.Iterator { door.listener { _ in Heard() }.words.makeAsyncIterator() }

    private final class Heard: AppListener, Sendable {
        let (words, tell) = AsyncStream.makeStream(of: String.self)

        func heard(_ word: AppWord) { tell.yield("\(word)") }
        func left() {}
        func lost(wasWelcome: Bool) { tell.yield("lost \(wasWelcome)") }
    }

    /// Ends the app.
    func end() {
        door.close()
        centre.leave()
    }
}
