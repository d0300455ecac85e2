import BelfryAppleGround
import BelfrySyscalls
import Dispatch
import Glibc
import Support
import Synchronization
import Testing

/// Notifications between processes, as the other process has them: over the board in the state directory.
@Suite struct DarwinNotificationTests {
    private let folder = TemporaryFolder()

    @Test("a post is heard by every ear, and several of one name are one") func board() throws {
        let board = PostedNames(path: "\(folder.path)/notices")
        #expect(board.lastPost(of: "a") == nil)
        let (first, second) = (try board.listen(), try board.listen())
        try board.post("a")
        first.wait()
        second.wait()
        let mark = try #require(board.lastPost(of: "a"))
        #expect(board.lastPost(of: "b") == nil)
        try board.post("a")
        try board.post("a")
        first.wait()
        #expect(board.lastPost(of: "a") != mark)
        #expect(throws: (any Error).self) { try board.post(String(repeating: "x", count: 1_025)) }
    }

    @Test("a number lies beside a name for every process, and changes what was posted in nothing") func state() throws {
        let board = PostedNames(path: "\(folder.path)/notices")
        #expect(board.state(of: "a") == 0)
        try board.setState(.max, of: "a")
        #expect(board.state(of: "a") == .max && board.state(of: "b") == 0 && board.lastPost(of: "a") == nil)
        try board.post("a")
        #expect(PostedNames(path: "\(folder.path)/notices").state(of: "a") == .max)
        #expect(throws: (any Error).self) { try board.setState(1, of: String(repeating: "x", count: 1_025)) }
    }

    @Test("a name may be empty, have lines and be as long as a thousand bytes, and who asks makes no folder")
    func names() throws {
        let path = "\(folder.path)/new"
        let board = PostedNames(path: path)
        let longest = String(repeating: "x", count: PostedNames.nameBytesMax)
        #expect(board.state(of: "") == 0)
        #expect(unsafe access(path, F_OK) != 0)
        for (state, name) in [(5, ""), (6, "a\nb"), (7, longest)] as [(UInt64, String)] {
            try board.post(name)
            try board.setState(state, of: name)
            #expect(board.state(of: name) == state && board.lastPost(of: name) != nil)
        }
    }

    @Test(
        "a number that another program left is none if it is of another name, without one, or longer than any",
        arguments: ["7\nb", "7", String(repeating: "0", count: 2_100) + "7\na"])
    func foreignNumbers(_ text: String) throws {
        let board = PostedNames(path: "\(folder.path)/notices")
        try board.setState(1, of: "a")
        let directory = try Directory.open(path: "\(folder.path)/notices", makes: false)
        let name = try #require(try directory.names(max: 9).first { $0.hasSuffix(".state") })
        folder.write(Array(text.utf8), to: "notices/\(name)")
        #expect(board.state(of: "a") == 0)
    }

    @Test("who listens sleeps until something is posted") func sleeps() throws {
        let board = PostedNames(path: "\(folder.path)/notices")
        let ear = try board.listen()
        let heard = Mutex(false)
        let listener = PosixThread {
            ear.wait()
            heard.withLock { $0 = true }
        }
        listener.waitUntilItSleeps()
        #expect(!heard.withLock { $0 })
        try board.post("a")
        listener.join()
        #expect(heard.withLock { $0 })
    }

    /// Calls `body` as the app with a state directory of its own, and waits on a queue of the test's.
    private func asApp(_ body: (DispatchQueue) throws -> Void) rethrows {
        let door = KeeperDoor.openForApp(stateDirectory: folder.path, bundle: folder.path)
        defer { door.close() }
        try door.run { try body(DispatchQueue(label: "test")) }
    }

    @Test("notify(3): who registers is called with each post on its queue, until it cancels") func notify() {
        asApp { queue in
            let heard = Mutex<[Int32]>([])
            let came = DispatchSemaphore(value: 0)
            let tokens = (0..<2).map { _ in
                var token = NOTIFY_TOKEN_INVALID
                let status = unsafe notify_register_dispatch("com.example.changed", &token, queue) { token in
                    dispatchPrecondition(condition: .onQueue(queue))
                    heard.withLock { $0.append(token) }
                    came.signal()
                }
                #expect(status == NOTIFY_STATUS_OK && notify_is_valid_token(token))
                return token
            }
            #expect(tokens[0] != tokens[1])
            #expect(unsafe notify_post("com.example.other") == NOTIFY_STATUS_OK)
            #expect(unsafe notify_post("com.example.changed") == NOTIFY_STATUS_OK)
            for _ in tokens { came.wait() }
            #expect(heard.withLock { $0 } == tokens)
            #expect(notify_cancel(tokens[0]) == NOTIFY_STATUS_OK && !notify_is_valid_token(tokens[0]))
            #expect(notify_cancel(tokens[0]) == NOTIFY_STATUS_INVALID_TOKEN)
            #expect(unsafe notify_post("com.example.changed") == NOTIFY_STATUS_OK)
            came.wait()
            #expect(heard.withLock { $0 } == tokens + [tokens[1]])
        }
    }

    @Test("notify(3): the number beside a name is there for who is registered, and what is wrong has its status")
    func notifyState() {
        asApp { queue in
            var (first, second, state) = (NOTIFY_TOKEN_INVALID, NOTIFY_TOKEN_INVALID, UInt64.max)
            #expect(unsafe notify_register_dispatch("com.example.state", &first, queue) { _ in } == NOTIFY_STATUS_OK)
            #expect(unsafe notify_register_dispatch("com.example.state", &second, queue) { _ in } == NOTIFY_STATUS_OK)
            #expect(unsafe notify_get_state(first, &state) == NOTIFY_STATUS_OK && state == 0)
            #expect(notify_set_state(first, 7) == NOTIFY_STATUS_OK)
            #expect(unsafe notify_get_state(second, &state) == NOTIFY_STATUS_OK && state == 7)
            #expect(notify_set_state(NOTIFY_TOKEN_INVALID, 1) == NOTIFY_STATUS_INVALID_TOKEN)
            #expect(unsafe notify_get_state(-7, &state) == NOTIFY_STATUS_INVALID_TOKEN && state == 7)
            #expect(notify_get_state(first, nil) == NOTIFY_STATUS_NULL_INPUT)
            #expect(notify_post(nil) == NOTIFY_STATUS_NULL_INPUT)
            #expect(unsafe notify_post([-1, 0]) == NOTIFY_STATUS_INVALID_NAME)
            #expect(unsafe notify_post(String(repeating: "x", count: 1_025)) == NOTIFY_STATUS_FAILED)
            #expect(unsafe notify_register_dispatch("a", &first, nil) { _ in } == NOTIFY_STATUS_NULL_INPUT)
        }
    }

    @Test("an ear that is gone is tidied by the next post, and a full one holds nobody up") func gone() throws {
        let board = PostedNames(path: "\(folder.path)/notices")
        let slow = try board.listen()
        let name = "\(folder.path)/notices/1-1-1.pipe"
        #expect(unsafe mkfifo(name, 0o600) == 0)
        try board.post("a")
        #expect(unsafe access(name, F_OK) != 0)
        let directory = try Directory.open(path: "\(folder.path)/notices", makes: false)
        let pipe = try #require(try directory.names(max: 9).first { $0.hasSuffix(".pipe") })
        for _ in 0..<70_000 {
            let isThere = directory.pokePipe(pipe)
            #expect(isThere)
        }
        try board.post("b")
        slow.wait()
        #expect(board.lastPost(of: "b") != nil)
    }
}
