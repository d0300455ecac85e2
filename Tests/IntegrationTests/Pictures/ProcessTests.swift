import BelfryPictures
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

/// How belfry-avatar behaves as a process.
@Suite(.serialized) struct ProcessTests {
    @Test(arguments: ["", "{}", "no JSON", "[1,2", "{\"url\":5}"])
    func withoutARequestThereIsNoAnswer(_ line: String) throws {
        let fetcher = try Fetcher(line: Array(line.utf8))
        #expect(fetcher.answer == nil)
        #expect(fetcher.status == .exited(code: 70))
        #expect(fetcher.complaint.hasPrefix("belfry-avatar: "))
        #expect(fetcher.picture.isEmpty)
    }

    @Test func startedByHandItSaysWhoStartsIt() throws {
        let errors = try DescriptorPair.pipe()
        let child = try ChildProcess(
            ChildCommand(
                path: testedProgram("belfry-avatar"), arguments: ["--help"],
                streams: [0: .null, 1: .null, 2: .descriptor(errors.writing.number)]))
        errors.writing.close()
        #expect(String(decoding: try readToEnd(errors.reading.number), as: UTF8.self).contains("belfry-worker"))
        #expect(try child.waitUntilExit() == .exited(code: 64))
    }

    @Test func aFullDiskIsAReason() throws {
        let server = try HostileServer()
        let full = OwnedDescriptor(owning: try checked("open") { unsafe open("/dev/full", O_WRONLY | O_CLOEXEC) })
        let input = try DescriptorPair.pipe()
        let answer = try DescriptorPair.pipe()
        let child = try ChildProcess(
            ChildCommand(
                path: testedProgram("belfry-avatar"),
                streams: [
                    0: .descriptor(input.reading.number), 1: .descriptor(answer.writing.number), 2: .null,
                    3: .descriptor(full.number),
                ]))
        answer.writing.close()
        try writeAll(FetchRequest(url: server.url("png"), allow: ["127.0.0.1"]).line, to: input.writing.number)
        let line = try readToEnd(answer.reading.number)
        #expect(try child.waitUntilExit().isSuccess)
        guard case .skipped(let skip) = FetchAnswer(line: line)?.outcome else {
            Issue.record("\(String(decoding: line, as: UTF8.self))")
            return
        }
        #expect(skip.reason == .writeFailed)
        #expect(skip.detail.contains("space"))
    }
}
