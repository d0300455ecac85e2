import BelfryAppGroup
import BelfryDevices
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Glibc
import PushQueue
import Support
import Testing

/// R19 on a full disk: an endpoint without a front, and real workers.
@Suite struct FullDiskTests {
    private let folder = TemporaryFolder()
    private var state: StateDirectory { StateDirectory(path: "\(folder.path)/state") }

    /// `test-tool queue` while it runs.
    private final class Endpoint {
        let child: ChildProcess
        private let input: OwnedDescriptor
        private let output: LineReader

        init(_ arguments: [String]) throws {
            let input = try DescriptorPair.pipe()
            let output = try DescriptorPair.pipe()
            let command = ChildCommand(
                path: builtProgram("test-tool"), arguments: ["queue"] + arguments,
                streams: [0: .descriptor(input.reading.number), 1: .descriptor(output.writing.number)])
            child = try ChildProcess(command)
            input.reading.close()
            output.writing.close()
            self.input = input.writing
            self.output = LineReader(output.reading)
        }

        func send(_ text: String) throws { try writeAll(Array(text.utf8), to: input.number, path: "test-tool") }

        func line() -> String? { output.next(within: 120_000) }

        func kill() throws {
            try child.signal(SIGKILL)
            _ = try child.waitUntilExit()
        }
    }

    init() { ignoreBrokenPipes() }

    @Test("on a full disk nothing is answered 200 that is not delivered when there is room again")
    func fullDisk() throws {
        let device = try TokenRegistry(state: state).add(
            bundleID: "com.example.phone", appGroup: GroupName("group.full"), environment: .production,
            at: WallTime(microseconds: wallTimeMicroseconds()))
        let endpoint = try Endpoint([state.path, "\(folder.path)/none.sock", "\(96 << 10)"])
        #expect(endpoint.line() == "ready")
        var accepted: [String] = []
        var failed = 0
        for number in 0..<1000 where failed == 0 {
            let id = randomUUID()
            try endpoint.send("\(device.voipToken.hex) \(id) \(number)\n")
            let answer = endpoint.line()
            if answer == "200 \(id)" { accepted.append(id) } else { failed += 1 }
            #expect(answer == "200 \(id)" || answer == "500 \(id)", "\(answer ?? "nothing")")
        }
        try endpoint.kill()
        #expect(failed == 1 && accepted.count > 5)
        let socketPath = "\(folder.path)/push.sock"
        let workers = try WitnessedWorkers(
            at: socketPath,
            environment: [
                "BELFRY_SOUND": "none", "BELFRY_STATE_DIRECTORY": state.path, "BELFRY_RING_DURATION": "10s",
                "BELFRY_RUNTIME_DIRECTORY": "\(folder.path)/run", "BELFRY_CONFIG_FILES": "no",
            ])
        let next = try Endpoint([state.path, socketPath])
        #expect(next.line() == "ready")
        // The device was offline: the latest is what there is, and the one before if there was no room to drop that.
        let last = accepted[accepted.count - 1]
        while workers.taken[last] == nil, workers.waitForNews() {}
        try next.kill()
        workers.stop()
        let kept = Set(accepted.suffix(2))
        #expect(workers.taken[last] == 1 && workers.taken.allSatisfy { kept.contains($0.key) && $0.value == 1 })
    }
}
