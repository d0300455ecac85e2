import BootTime
import EventLoop
import Glibc
import Syscalls

/// Runs another program and takes what it prints, with a bound on both time and size.
final class ProgramAnswer {
    /// A program that takes longer is killed.
    private static let patience = TimeSpan.seconds(5)
    /// What a program prints beyond this is dropped, in bytes.
    private static let bytesMax = 1 << 20

    private let loop: Loop
    private let reading: OwnedDescriptor
    private var bytes: [UInt8] = []
    private var isSuccess = false

    /// What `path` prints; nil where it cannot be started, fails or is killed.
    static func of(_ path: String, _ arguments: [String]) -> String? {
        do throws(SystemError) {
            let pipe = try DescriptorPair.pipe()
            let child = try ChildProcess(
                ChildCommand(
                    path: path, arguments: arguments,
                    streams: [0: .null, 1: .descriptor(pipe.writing.number), 2: .null]))
            let answer = ProgramAnswer(try Loop(), try pipe.reading.duplicate())
            try answer.follow(child)
            return answer.isSuccess ? String(decoding: answer.bytes, as: UTF8.self) : nil
        } catch {
            return nil
        }
    }

    private init(_ loop: Loop, _ reading: consuming OwnedDescriptor) {
        self.loop = loop
        self.reading = reading
    }

    private func follow(_ child: ChildProcess) throws(SystemError) {
        try checked("fcntl", on: "F_SETFL") { fcntl(reading.number, F_SETFL, O_NONBLOCK) }
        let source = try loop.watch(descriptor: reading.number, events: .readable, description: "answer") {
            [unowned self] _ in take()
        }
        defer { source.cancel() }
        let exit = try loop.onExit(of: child, description: "program") { [unowned self] status in
            isSuccess = status.isSuccess
            loop.stop()
        }
        defer { exit.cancel() }
        let timer = loop.schedule(at: loop.now + Self.patience, description: "patience") { [unowned self] in
            loop.stop()
        }
        loop.run()
        timer.cancel()
        take()
    }

    /// Takes what is there now.
    private func take() {
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe read(reading.number, buffer.baseAddress, buffer.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            if bytes.count < Self.bytesMax { bytes.append(contentsOf: chunk.prefix(count)) }
        }
    }
}
