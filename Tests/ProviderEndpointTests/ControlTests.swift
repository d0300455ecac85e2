import BelfryDevices
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Glibc
import ProviderEndpoint
import Support
import Testing

/// What testers ask of an endpoint that runs.
@Suite struct ControlTests {
    @Test("a request reads as it was written")
    func written() {
        let faults = [
            AnswerFault(token: nil, status: 503, reason: "ServiceUnavailable", times: 1, delay: .zero),
            AnswerFault(token: .random(), status: 200, reason: "\"", times: 1_000_000, delay: .seconds(3_600)),
        ]
        for request in faults.map(ControlRequest.fail) + [.sendAway] {
            #expect(ControlRequest(line: request.line) == request)
        }
    }

    @Test(
        "what is no request",
        arguments: [
            "", "x", "{}", #"{"command":"stop"}"#, #"{"command":"fail"}"#,
            #"{"command":"fail","status":99,"reason":"R","times":1,"delay":0}"#,
            #"{"command":"fail","status":400,"reason":"R","times":0,"delay":0}"#,
            #"{"command":"fail","status":400,"reason":"R","times":1,"delay":-1}"#,
            #"{"command":"fail","status":400,"reason":"R","times":1,"delay":1e300}"#,
            #"{"command":"fail","status":400,"reason":"R","times":1,"delay":0,"token":"ab"}"#,
        ])
    func refused(_ line: String) {
        #expect(ControlRequest(line: Array(line.utf8)) == nil)
    }

    @Test("whoever asks is told whether it was done, and a stranger's noise harms nobody")
    func served() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/apns.sock"
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let listener = OwnedDescriptor(owning: socket(AF_UNIX, kind | Int32(SOCK_NONBLOCK.rawValue), 0))
        try bindUnixSocket(listener.number, to: path)
        #expect(listen(listener.number, 4) == 0)
        let loop = try Loop()
        var asked: [ControlRequest] = []
        let control = try ControlSocket(listener.number, on: loop) {
            asked.append($0)
            return asked.count == 1
        }
        func ask(_ line: [UInt8]) throws -> String {
            let client = OwnedDescriptor(owning: socket(AF_UNIX, kind, 0))
            try connectUnixSocket(client.number, to: path)
            try writeAll(line, to: client.number, path: path)
            loop.runUntilIdle()
            var answer = [UInt8](repeating: 0, count: 16)
            let count = unsafe recv(client.number, &answer, answer.count, Int32(MSG_DONTWAIT))
            return String(decoding: answer.prefix(max(0, count)), as: UTF8.self)
        }
        #expect(try ask(ControlRequest.sendAway.line) == "ok\n")
        #expect(try ask(ControlRequest.sendAway.line) == "no\n")
        #expect(try ask(Array("noise\n".utf8)) == "no\n")
        #expect(try ask([UInt8](repeating: 0x61, count: 5_000)) == "no\n")
        #expect(asked == [.sendAway, .sendAway])
        withExtendedLifetime(control) {}
    }
}
