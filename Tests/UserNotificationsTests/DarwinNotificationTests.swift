import BelfryNotices
import BelfrySyscalls
import Glibc
import Support
import Testing

/// Notifications between processes, as the other process has them: over the board in the state directory.
@Suite struct DarwinNotificationTests {
    private let folder = TemporaryFolder()

    @Test("a post is heard by every ear, and several of one name are one") func board() throws {
        let board = NoticeBoard(path: "\(folder.path)/notices")
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

    @Test("an ear that is gone is tidied by the next post, and a full one holds nobody up") func gone() throws {
        let board = NoticeBoard(path: "\(folder.path)/notices")
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
