import BelfryCommandLine
import BelfryJSON
import BelfrySyscalls
import Glibc
import Support
import Testing

@Suite struct OutputTests {
    private func text(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    @Test("a terminal is one, a pipe is none") func terminal() throws {
        let terminal = OwnedDescriptor(owning: unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC))
        let pipe = try DescriptorPair.pipe()
        #expect(Output(standardOutput: terminal.number, standardError: pipe.writing.number).isTerminal)
        #expect(!Output(standardOutput: pipe.writing.number, standardError: terminal.number).isTerminal)
    }

    @Test("once the reader has left nothing more is written there, and complaints still are") func left() throws {
        let printed = try DescriptorPair.pipe()
        let complained = try DescriptorPair.pipe()
        let output = Output(standardOutput: printed.writing.number, standardError: complained.writing.number)
        output.line("a")
        #expect(output.isOpen && text(printed.reading.number) == "a\n")
        printed.reading.close()
        output.line("b")
        #expect(!output.isOpen)
        output.complaint("c")
        #expect(text(complained.reading.number) == "c\n")
        complained.reading.close()
        let other = try DescriptorPair.pipe()
        let deaf = Output(standardOutput: other.writing.number, standardError: complained.writing.number)
        deaf.complaint("d")
        deaf.json(["e": .integer(1)])
        #expect(
            deaf.isOpen && text(other.reading.number) == "{\"e\":1}\n", "who reads no complaints reads what is printed")
    }

    @Test("an empty line is one, and whoever reads a named pipe anew gets nothing that was meant for others")
    func another() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/pipe"
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let first = OwnedDescriptor(owning: unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        let written = OwnedDescriptor(owning: unsafe open(path, O_WRONLY | O_CLOEXEC))
        let output = Output(standardOutput: written.number, standardError: written.number)
        output.line("")
        #expect(text(first.number) == "\n")
        first.close()
        output.line("a")
        #expect(!output.isOpen)
        let second = OwnedDescriptor(owning: unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        output.line("b")
        #expect(text(second.number) == "")
    }

    @Test("all arrives, also where the reader is slow and another program has set O_NONBLOCK") func slow() throws {
        let pipe = try DescriptorPair.pipe()
        _ = fcntl(pipe.writing.number, F_SETFL, O_NONBLOCK)
        var random = SeededRandom(seed: 1)
        let bytes = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let number = pipe.writing.number
        let writer = PosixThread { Output(standardOutput: number, standardError: number).bytes(bytes) }
        writer.waitUntilItSleeps()
        var arrived: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 10_000)
        while arrived.count < bytes.count {
            let count = unsafe read(pipe.reading.number, &piece, piece.count)
            arrived += piece.prefix(max(count, 0))
        }
        writer.join()
        #expect(arrived == bytes)
    }
}
