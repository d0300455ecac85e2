import BelfryEventLoop
import BelfryTerms
import Glibc
import Support
import Testing

@Suite("The file of a running program") struct ProgramWatchTests {
    private let folder = TemporaryFolder()

    private func make(_ name: String, mode: mode_t = 0o755) {
        unsafe chmod(folder.write([1], to: name), mode)
    }

    /// How often it is told within `span`, after `change`.
    private func told(within span: TimeSpan, after change: () -> Void) throws -> Int {
        make("program")
        let loop = try Loop()
        var count = 0
        let watch = ProgramWatch(on: loop, path: "\(folder.path)/program") {
            count += 1
            loop.stop()
        }
        #expect(watch != nil)
        change()
        _ = loop.schedule(at: loop.now + span, description: "patience") { loop.stop() }
        loop.run()
        return withExtendedLifetime(watch) { count }
    }

    @Test("another one in its place is told, once it can be run") func replaced() throws {
        #expect(
            try told(within: .seconds(30)) {
                make("new")
                unsafe rename("\(folder.path)/new", "\(folder.path)/program")
            } == 1)
    }

    @Test("what happens beside it is not, nor its removal, nor a file that cannot be run") func others() throws {
        #expect(try told(within: .milliseconds(2_500)) { make("other") } == 0)
        #expect(try told(within: .milliseconds(2_500)) { unsafe unlink("\(folder.path)/program") } == 0)
        #expect(
            try told(within: .milliseconds(2_500)) {
                make("new", mode: 0o644)
                unsafe rename("\(folder.path)/new", "\(folder.path)/program")
            } == 0)
    }

    @Test("of which there is no folder cannot be watched") func nothing() throws {
        #expect(ProgramWatch(on: try Loop(), path: "\(folder.path)/none/program") {} == nil)
    }
}
