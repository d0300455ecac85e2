import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import Glibc
import KeeperChannel
import Support
import Testing

@testable import ExtensionKeeping

/// A worker's end of its connection to a host that stays.
@Suite struct KeeperLinkTests {
    private let folder = TemporaryFolder()

    @Test("each sound has the file that came with it, also where two come in one read") func files() throws {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let listener = OwnedDescriptor(owning: try checked("socket") { socket(AF_UNIX, kind, 0) })
        try bindUnixSocket(listener.number, to: "\(folder.path)/host.sock")
        try BelfrySyscalls.listen(at: listener.number, backlog: 1)
        let loop = try Loop()
        let link = try KeeperLink(to: "\(folder.path)/host.sock", on: loop)
        var heard: [String] = []
        link.receive("a", NotificationContent()) { news, file in
            if case .said(.sound(let sound)) = news {
                let bytes = file.flatMap { try? readFile(at: $0.path, bytesMax: 9).bytes } ?? []
                heard.append("\(sound.sound) \(String(decoding: bytes, as: UTF8.self))")
            } else {
                loop.stop()
            }
        }
        let host = OwnedDescriptor(owning: accept(listener.number, nil, nil))
        for number in 1...2 {
            let path = folder.write(Array("file \(number)".utf8), to: "\(number)")
            let file = OwnedDescriptor(owning: unsafe open(path, O_RDONLY | O_CLOEXEC))
            let line = KeeperNews.said(.sound(FoundSound(token: 1, sound: Int64(number), problem: nil))).line
            // The rest of the first comes with the second, as from a host whose worker was slow.
            #expect(sendAll(Array(line.prefix(9)), passing: file.number, to: host.number))
            #expect(sendAll(Array(line.dropFirst(9)), passing: nil, to: host.number))
        }
        #expect(sendAll(KeeperNews.over.line, passing: nil, to: host.number))
        loop.run()
        #expect(heard == ["1 file 1", "2 file 2"])
        link.close()
    }
}
