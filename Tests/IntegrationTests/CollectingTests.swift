import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("An answer is the app's once, whatever dies in between") struct Collecting {
        private static let calls = (0..<10).map { "answer-\($0)" }
        private let folder = TemporaryFolder()

        /// Starts `belfry app pending --collect`, which writes to a file of its own.
        private func collector(_ number: Int, of phone: Phone) throws -> ChildProcess {
            try ChildProcess(
                ChildCommand(
                    path: "/bin/sh",
                    arguments: [
                        "-c", "exec \"$0\" app pending --collect --json >\"$1\"", "\(Surroundings.programs)/belfry",
                        "\(folder.path)/collected-\(number)",
                    ],
                    environment: inherited().merging(phone.environment) { $1 },
                    streams: [0: .null, 1: .null, 2: .null]))
        }

        /// How often each answer was handed over so far.
        private func handedOver(and more: String = "") -> [Int] {
            let all =
                names(in: folder.path).filter { $0.hasPrefix("collected") }.map { name in
                    contents(of: "\(folder.path)/\(name)")
                }.joined() + more
            return Self.calls.map { call in
                all.split(separator: "\"\(call)\"", omittingEmptySubsequences: false).count - 1
            }
        }

        private func phone() throws -> Phone {
            let phone = try Phone(hasDesktop: true)
            for call in Self.calls {
                let client = try phone.call(call)
                try client.wait(for: "ringing")
                try phone.belfry("answer", call)
                _ = client.story()
            }
            #expect(phone.ledger().answers.count == Self.calls.count)
            return phone
        }

        @Test("of collectors that are killed at any moment, none has what another has", arguments: 0..<4)
        func killed(round: Int) throws {
            let phone = try phone()
            var random = SeededRandom(seed: UInt64(round))
            let collectors = try (0..<6).map { try collector($0, of: phone) }
            for collector in collectors {
                _ = poll(nil, 0, Int32.random(in: 0...4, using: &random))
                try? collector.signal(SIGKILL)
            }
            for collector in collectors { _ = try collector.waitUntilExit() }
            let rest = try phone.belfry("app", "pending", "--collect", "--json").output
            #expect(handedOver(and: rest).allSatisfy { $0 <= 1 }, "\(handedOver(and: rest))")
            #expect(phone.ledger().answers.isEmpty)
            #expect(try phone.belfry("app", "pending", "--collect", "--json").output == "")
        }

        @Test("commands and the bus side by side, and belfry-desktop killed: each answer once")
        func besideBus() throws {
            let phone = try phone()
            try phone.wakeDesktop()
            let first = try Bus.call(
                "org.belfry.Calls1", "/org/belfry/Calls1", "org.belfry.Calls1.CollectAnswer", ["", Self.calls[3]]
            ).output
            #expect(first.contains(Self.calls[3]))
            let collectors = try (0..<3).map { try collector($0, of: phone) }
            var collected: [String] = []
            for call in Self.calls[5...] {
                let done = try Bus.call(
                    "org.belfry.Calls1", "/org/belfry/Calls1", "org.belfry.Calls1.CollectAnswer", ["", call])
                if done.status.isSuccess { collected.append("\"\(call)\"") }
                if call == Self.calls[7], let desktop = phone.desktop { kill(desktop, SIGKILL) }
            }
            for collector in collectors { _ = try collector.waitUntilExit() }
            let counts = handedOver(and: collected.joined() + "\"\(Self.calls[3])\"")
            #expect(counts == Self.calls.map { _ in 1 }, "\(counts)")
            #expect(phone.ledger().answers.isEmpty)
        }
    }
}
