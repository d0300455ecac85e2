import BelfryAppDoor
import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallKit
import Foundation
import Glibc
import Support
import Testing

/// The way from an app to `belfry-calls`: what its peer does to it, and what the app's queues do.
@Suite(.timeLimit(.minutes(10))) struct AppDoorTests {
    private func opened(_ app: PlayedApp) -> AsyncStream<String>.Iterator {
        let words = app.words
        app.door.connect()
        return words
    }

    @Test("words that come byte by byte, and several at once, are heard one by one; later versions' are passed over")
    func pieces() async throws {
        let app = try PlayedApp()
        defer { app.end() }
        var words = opened(app)
        _ = await app.centre.welcome(after: 1)
        #expect(await words.next()?.hasPrefix("welcome") == true)
        for byte in AppWord.tokenInvalid.line { app.centre.say([byte]) }
        #expect(await words.next() == "tokenInvalid")
        let later = Array("{\"say\": \"weather\", \"rain\": true}\n".utf8)
        app.centre.say(later + AppWord.reset.line + AppWord.token([1]).line)
        #expect(await words.next() == "reset")
        #expect(await words.next() == "token([1])")
    }

    @Test(
        "a peer that says what cannot be read is left, and the app comes again",
        arguments: [
            "garbage\n", "[]\n", "{\"say\": 1}\n", "{\"say\": \"push\", \"n\": \"x\"}\n",
            "{\"say\": \"token\"}\n", "{\"say\": \"perform\", \"action\": {}}\n", "\u{0}\n",
        ])
    func nonsense(line: String) async throws {
        let app = try PlayedApp()
        defer { app.end() }
        var words = opened(app)
        _ = await app.centre.welcome(after: 1)
        #expect(await words.next()?.hasPrefix("welcome") == true)
        app.centre.say(Array(line.utf8))
        #expect(await words.next() == "lost true")
        let warned = await app.centre.first { if case .warning(let code, _) = $0 { code } else { nil } }
        #expect(warned == CodeWord(.callsUnavailable))
        #expect(await app.centre.next() == .left)
        #expect(await app.centre.welcome(after: 1) == [.hello(app.hello)])
        #expect(await words.next()?.hasPrefix("welcome") == true)
    }

    @Test("so is one whose line has no end, or that leaves in the middle of one")
    func unfinished() async throws {
        let app = try PlayedApp()
        defer { app.end() }
        var words = opened(app)
        _ = await app.centre.welcome(after: 1)
        #expect(await words.next()?.hasPrefix("welcome") == true)
        app.centre.say([UInt8](repeating: UInt8(ascii: "a"), count: 2 << 20))
        #expect(await words.next() == "lost true")
        _ = await app.centre.welcome(after: 1)
        #expect(await words.next()?.hasPrefix("welcome") == true)
        app.centre.say(Array("{\"say\": \"res".utf8))
        app.centre.hangUp()
        #expect(await words.next() == "lost true")
        _ = await app.centre.welcome(after: 1)
        app.centre.say(.reset)
        #expect(await words.next()?.hasPrefix("welcome") == true)
        #expect(await words.next() == "reset")
    }

    @Test("a process that is refused says why, and has had no calls")
    func refused() async throws {
        let app = try PlayedApp()
        defer { app.end() }
        var words = opened(app)
        #expect(await app.centre.next() == .connected)
        app.centre.say(.refused("it runs"))
        let warned = await app.centre.first { if case .warning(let code, let text) = $0 { (code, text) } else { nil } }
        #expect(warned?.0 == CodeWord(.callsUnavailable) && warned?.1.contains("it runs") == true)
        app.centre.hangUp()
        #expect(await words.next()?.hasPrefix("refused") == true)
        #expect(await words.next() == "lost false")
    }

    @Test("a queue that takes no call is told of after a second, and only once")
    func blocked() async throws {
        let app = try PlayedApp()
        defer { app.end() }
        _ = opened(app)
        _ = await app.centre.welcome(after: 1)
        let queue = DispatchQueue(label: "app.busy")
        let gate = DispatchSemaphore(value: 0)
        queue.async { gate.wait() }
        let began = ContinuousClock.now
        app.door.call(on: queue, "a visit") { _ = app.door.say(.completed(push: 1)) }
        let warned = await app.centre.first { if case .warning(let code, let text) = $0 { (code, text) } else { nil } }
        #expect(warned?.0 == CodeWord(.mainBlocked) && warned?.1.contains("a visit on app.busy") == true)
        #expect(ContinuousClock.now - began >= .seconds(1))
        gate.signal()
        #expect(await app.centre.next() == .said(.completed(push: 1)))
    }

    @Test("a peer that never reads is left: what waits for it is bounded")
    func deaf() async throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/calls.sock"
        let listener = try listenPrivately(at: path, backlog: 8)
        let door = AppDoor.open(socketPath: path, hello: AppHello(id: "com.example.deaf", pid: 1))
        defer { door.close() }
        door.connect()
        let text = String(repeating: "a", count: 10_000)
        var said = 0
        while said < 1_000, door.say(.warning(CodeWord(.unsupported), detail: text)) { said += 1 }
        // The kernel's own buffer comes first.
        #expect(said > 6 && said < 1_000)
        withExtendedLifetime(listener.number) {}
    }

    @Test("the app ends when it is asked to, by its own way")
    func stop() async throws {
        let app = try PlayedApp()
        defer { app.end() }
        _ = opened(app)
        let (stops, tell) = AsyncStream.makeStream(of: Bool.self)
        app.door.whenStopped { tell.yield(true) }
        _ = await app.centre.welcome(after: 1)
        app.centre.say(.stop)
        var stopped = stops.makeAsyncIterator()
        #expect(await stopped.next() == true)
    }

    @Test("a warning is given once, and code that makes them up gives a thousand at most")
    func warnings() async throws {
        let app = try PlayedApp()
        defer { app.end() }
        _ = opened(app)
        _ = await app.centre.welcome(after: 1)
        for _ in 1...2 { app.door.warn(.unsupported, "the same") }
        for number in 1...1_100 { app.door.warn(.unsupported, "number \(number)") }
        _ = app.door.say(.completed(push: 1))
        var said = 0
        while let news = await app.centre.next(), news != .said(.completed(push: 1)) { said += 1 }
        #expect(said == 1_000)
    }

    @Test("an app says of itself what its Info.plist says")
    func identity() throws {
        let folder = TemporaryFolder()
        let plist = """
            <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.phone</string>
            <key>CFBundleDisplayName</key><string>Phone</string><key>aps-environment</key><string>production</string>
            <key>UIBackgroundModes</key><array><string>audio</string><string>voip</string></array></dict></plist>
            """
        folder.write(Array(plist.utf8), to: "Info.plist")
        let bundle = try #require(Bundle(path: folder.path))
        let hello = try #require(AppIdentity.hello(of: bundle))
        #expect(hello.id == "com.example.phone" && hello.name == "Phone" && hello.environment == "production")
        #expect(hello.hasVoIPMode && hello.pid == Int64(getpid()))
        let empty = TemporaryFolder()
        let none = Bundle(path: empty.path).flatMap { AppIdentity.hello(of: $0) }
        #expect(none == nil)
    }
}
