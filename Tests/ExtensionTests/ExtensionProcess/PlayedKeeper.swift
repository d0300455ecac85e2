import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import KeeperChannel
import Support
import Testing

/// A host for one process of the sample extension.
final class PlayedKeeper {
    /// How long anything may take, in milliseconds: far longer than it does.
    private static let patience: Int32 = 60_000

    let child: ChildProcess
    let folder = TemporaryFolder()
    /// What it has passed beside its words.
    private(set) var files: [PassedFile] = []
    private var channel: Int32
    private let output: LineReader
    private var end: KeeperEnd
    private var heard: [ExtensionMessage] = []

    init() throws {
        let pair = try SocketPair()
        let written = try DescriptorPair.pipe()
        var command = ChildCommand(path: builtProgram("ExtensionSample"), environment: [:])
        command.streams = [
            0: .null, 1: .descriptor(written.writing.number), 2: .null, 3: .descriptor(pair.writing.number),
        ]
        command.leadsGroup = true
        child = try ChildProcess(command)
        channel = try pair.reading.duplicate().release()
        end = KeeperEnd(folders: ChannelFolders([folder.path]))
        output = LineReader(try written.reading.duplicate())
    }

    deinit { leave() }

    /// Greets the process, and waits until it greets back.
    func greet() throws {
        try say(KeeperMessage.hello(KeeperGreeting(stateDirectory: folder.path, memoryBytesMax: 24_000_000)).line)
        #expect(try next() == .hello)
    }

    /// Hands over a notification that says what to do.
    func handOver(_ number: Int64, _ what: String) throws {
        var content = NotificationContent()
        content.title = "t\(number)"
        content.userInfo = ["do": .string(what), "path": .string("\(folder.path)/ring.wav")]
        try say(
            end.handOver(
                ExtensionRequest(
                    number: number, identifier: "id\(number)", content: content,
                    deadline: Instant(microseconds: bootTimeMicroseconds() + 30_000_000))))
    }

    /// Tells the process that the time of a notification is nearly over.
    func expire(_ number: Int64) throws { try say(KeeperMessage.expire(number).line) }

    /// Says that what was asked for with `token` is over.
    func finish(_ token: Int64) throws { try say(KeeperMessage.finished(token).line) }

    /// Closes the channel.
    func leave() {
        guard channel >= 0 else { return }
        close(channel)
        channel = -1
    }

    /// What the process says next; nil at its end.
    func next() throws -> ExtensionMessage? {
        while heard.isEmpty {
            var entry = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, Self.patience) > 0 else { throw NothingCame() }
            let (bytes, passed) = receiveSome(from: channel, bytesMax: 64 << 10)
            guard !bytes.isEmpty else { return nil }
            files += passed
            heard = try end.take(bytes, at: Instant(microseconds: 0))
        }
        return heard.removeFirst()
    }

    /// The reply to a notification, whatever is said before it.
    func reply(_ number: Int64) throws -> NotificationContent? {
        while let message = try next() {
            if case .reply(number, let content) = message { return content }
        }
        return nil
    }

    /// The next line that it prints.
    func line() -> String? { output.next(within: Self.patience) }

    private func say(_ line: [UInt8]) throws {
        let count = unsafe line.withUnsafeBytes {
            unsafe send(channel, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count == line.count else { throw NothingCame() }
    }
}

/// A process said nothing, or took nothing.
struct NothingCame: Error {}
