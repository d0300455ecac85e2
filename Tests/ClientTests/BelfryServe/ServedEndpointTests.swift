import BelfryEventLoop
import BelfryServe
import BelfrySyscalls
import Glibc
import Support
import Testing

/// An endpoint's life, with a shell script as the endpoint.
@Suite struct ServedEndpointTests {
    private let folder = TemporaryFolder()
    private let loop: Loop

    init() throws { loop = try Loop() }

    private func endpoint(_ script: String) throws -> ServedEndpoint {
        let text = """
            #!/bin/sh
            [ "$1" = --listeners ] || { echo '{"id": "1"}'; exit; }
            cd '\(folder.path)'
            \(script)
            """
        let program = folder.write(Array(text.utf8), to: "endpoint")
        unsafe chmod(program, 0o700)
        return try ServedEndpoint(
            program, environment: ["PATH": "/usr/bin:/bin"], runtimePath: "\(folder.path)/run", on: loop)
    }

    @Test("it has time to finish what it does before it is killed") func finishes() throws {
        unsafe mkfifo("\(folder.path)/begun", 0o600)
        let endpoint = try endpoint(
            """
            trap 'for i in $(seq 100); do /bin/true; done; echo >finished; exit' TERM
            echo >begun
            sleep 100 & wait
            """)
        let begun = unsafe open("\(folder.path)/begun", O_RDONLY | O_CLOEXEC)
        #expect(ScriptedWorker.readAll(begun) == [UInt8(ascii: "\n")])
        close(begun)
        endpoint.onEnd = { _ in Issue.record("it was told to end") }
        endpoint.stop { [loop] in loop.stop() }
        loop.run()
        #expect(unsafe access("\(folder.path)/finished", F_OK) == 0)
    }

    @Test("if it ends by itself that is told, and there is nothing left to stop") func endsByItself() throws {
        let endpoint = try endpoint("exit 3")
        endpoint.onEnd = { [loop] exit in
            #expect(exit == .exited(code: 3))
            loop.stop()
        }
        loop.run()
        var isStopped = false
        endpoint.stop { isStopped = true }
        #expect(isStopped)
    }
}
