@testable import BelfryPush
import Testing

@Suite struct PushSocketTests {
    @Test func theEnvironmentNamesIt() throws {
        #expect(try PushSocket(environment: ["XDG_RUNTIME_DIR": "/run/user/1"]).path == "/run/user/1/belfry/push.sock")
        let both = ["XDG_RUNTIME_DIR": "/run/user/1", "BELFRY_SOCKET": "/tmp/s"]
        #expect(try PushSocket(environment: both).path == "/tmp/s")
        let empty = ["XDG_RUNTIME_DIR": "/r", "BELFRY_SOCKET": ""]
        #expect(try PushSocket(environment: empty).path == "/r/belfry/push.sock")
    }

    @Test func withoutAnEnvironmentThereIsNone() {
        for environment in [[:], ["XDG_RUNTIME_DIR": ""], ["XDG_RUNTIME_DIR": "relative"]] {
            let error = #expect(throws: PushError.self) { _ = try PushSocket(environment: environment) }
            #expect(error?.code == .noPath && error?.exitStatus == 69)
        }
    }

    @Test func aPathHasALimit() throws {
        let longest = "/" + String(repeating: "x", count: PushSocket.pathBytesMax - 1)
        #expect(try PushSocket(path: longest).path == longest)
        for path in [longest + "x", "/a\u{0}b"] {
            let error = #expect(throws: PushError.self) { _ = try PushSocket(path: path) }
            #expect(error?.code == .pathTooLong && error?.exitStatus == 64)
        }
    }
}
