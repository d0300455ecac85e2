import BelfryDevices
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import PushAPI
import PushEndpoint
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
        for request in faults.map(ControlRequest.fail) + [
            .sendAway(isHard: false), .sendAway(isHard: true), .clearFaults, .listFaults,
            .setOffline(true, device: "d"), .setOffline(false, device: ""), .countWaiting,
        ] {
            #expect(ControlRequest(line: request.line) == request)
        }
    }

    @Test("what waits is read as it was counted; of too many machines those are told of that most waits for")
    func counted() {
        let few = [FleetName("a")!: 3, FleetName("b")!: 0]
        #expect(ControlAnswer(line: ControlAnswer(counting: few).line) == .waiting(few))
        let name = String(repeating: "a", count: 59)
        let many = (1...9_999).reduce(into: [FleetName: Int]()) { $0[FleetName("\(name)\($1)")!] = $1 * 1_000_000 }
        let line = ControlAnswer(counting: many).line
        guard case .waiting(let told)? = ControlAnswer(line: line) else {
            Issue.record("no answer")
            return
        }
        #expect(line.count <= ControlAnswer.bytesMax && told.count == 800 && told.values.min() == 9_200_000_000)
    }

    @Test(
        "what is no request",
        arguments: [
            "", "x", "{}", #"{"command":"stop"}"#, #"{"command":"device","device":"d"}"#, #"{"command":"fail"}"#,
            #"{"command":"fail","status":99,"reason":"R","times":1,"delay":0}"#,
            #"{"command":"fail","status":400,"reason":"R","times":0,"delay":0}"#,
            #"{"command":"fail","status":400,"reason":"R","times":1,"delay":-1}"#,
            #"{"command":"fail","status":400,"reason":"R","times":1,"delay":1e300}"#,
            #"{"command":"fail","status":400,"reason":"R","times":1,"delay":0,"token":"ab"}"#,
        ])
    func refused(_ line: String) {
        #expect(ControlRequest(line: Array(line.utf8)) == nil)
    }

    private let folder = TemporaryFolder()
    private let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    private var path: String { folder.path + "/apns.sock" }

    private func listener() throws -> OwnedDescriptor {
        let listener = OwnedDescriptor(owning: socket(AF_UNIX, kind | Int32(SOCK_NONBLOCK.rawValue), 0))
        try bindUnixSocket(listener.number, to: path)
        #expect(listen(listener.number, 32) == 0)
        return listener
    }

    private func client() throws -> PassedFile {
        let client = PassedFile(OwnedDescriptor(owning: socket(AF_UNIX, kind, 0)))
        try connectUnixSocket(client.descriptor.number, to: path)
        return client
    }

    /// What `client` was answered so far, nothing if it was sent away; nil if it has to wait.
    private func answer(to client: PassedFile) -> String? {
        var answer = [UInt8](repeating: 0, count: 16)
        let count = unsafe recv(client.descriptor.number, &answer, answer.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN { return nil }
        return String(decoding: answer.prefix(max(0, count)), as: UTF8.self)
    }

    @Test("whoever asks is told whether it was done, and a stranger's noise harms nobody")
    func served() throws {
        let listener = try listener()
        let loop = try Loop()
        var asked: [ControlRequest] = []
        let control = try ControlSocket(listener.number, on: loop) {
            asked.append($0)
            return asked.count == 1 ? .done : .refused
        }
        func ask(_ line: [UInt8]) throws -> String? {
            let client = try client()
            try writeAll(line, to: client.descriptor.number, path: path)
            loop.runUntilIdle()
            return answer(to: client)
        }
        #expect(try ask(ControlRequest.sendAway(isHard: false).line) == "ok\n")
        #expect(try ask(ControlRequest.sendAway(isHard: false).line) == "no\n")
        #expect(try ask(Array("noise\n".utf8)) == "no\n")
        #expect(try ask([UInt8](repeating: 0x61, count: 5_000)) == "no\n")
        #expect(asked == [.sendAway(isHard: false), .sendAway(isHard: false)])
        withExtendedLifetime(control) {}
    }

    @Test("an answer reads as it was written, and lists as many failures as a line holds")
    func answers() {
        let fault = AnswerFault(token: .random(), status: 503, reason: "\"\n", times: 2, delay: .seconds(1))
        for answer in [ControlAnswer.done, .refused, .faults([], more: 0), .faults([fault, fault], more: 7)] {
            #expect(ControlAnswer(line: answer.line) == answer)
        }
        #expect(ControlAnswer(line: []) == nil && ControlAnswer(line: Array("ok".utf8)) == nil)
        let many = ControlAnswer(listing: Array(repeating: fault, count: 1_000))
        guard case .faults(let told, let more) = many else { return #expect(Bool(false), "\(many)") }
        #expect(told.count > 100 && told.count + more == 1_000 && many.line.count <= ControlAnswer.bytesMax)
        #expect(ControlAnswer(listing: [fault]) == .faults([fault], more: 0))
    }

    @Test("the longest answer reaches whoever asked")
    func longAnswer() throws {
        let listener = try listener()
        let loop = try Loop()
        let fault = AnswerFault(token: nil, status: 503, reason: "R", times: 1, delay: .zero)
        let long = ControlAnswer(listing: Array(repeating: fault, count: 1_000))
        let control = try ControlSocket(listener.number, on: loop) { _ in long }
        let client = try client()
        try writeAll(ControlRequest.listFaults.line, to: client.descriptor.number, path: path)
        loop.runUntilIdle()
        #expect(ControlAnswer(line: ScriptedWorker.readAll(client.descriptor.number)) == long)
        withExtendedLifetime(control) {}
    }

    @Test("sixteen at once may take their time to ask, one more is sent away")
    func crowd() throws {
        let listener = try listener()
        let loop = try Loop()
        let control = try ControlSocket(listener.number, on: loop) { _ in .done }
        let clients = try (0..<17).map { _ in try client() }
        loop.runUntilIdle()
        #expect(clients.map(answer) == [String?](repeating: nil, count: 16) + [""])
        withExtendedLifetime(control) {}
    }

    @Test("without a descriptor for who asks the endpoint rests, and looks again") func noDescriptors() async {
        await #expect(processExitsWith: .success) {
            let test = ControlTests()
            let listener = try test.listener()
            let loop = try Loop()
            let control = try ControlSocket(listener.number, on: loop) { _ in
                loop.stop()
                return .done
            }
            let client = try test.client()
            try writeAll(ControlRequest.sendAway(isHard: false).line, to: client.descriptor.number, path: test.path)
            var limit = rlimit()
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            _ = unsafe getrlimit(kind, &limit)
            var none = limit
            // With none at all, poll(2) would refuse as well.
            none.rlim_cur = 1
            _ = unsafe setrlimit(kind, &none)
            // A loop that is called again and again traps.
            loop.runUntilIdle()
            _ = unsafe setrlimit(kind, &limit)
            withExtendedLifetime(control) { loop.run() }
            #expect(test.answer(to: client) == "ok\n")
        }
    }
}
