import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("A socket whose worker is missing") struct MissingWorker {
        @Test("one unit stays failed, however many push; each is refused at once")
        func oneFailedUnit() throws {
            let phone = try Phone(hasWorker: false)
            defer { _ = try? phone.systemctl("reset-failed", "\(phone.name)-missing.service") }
            for _ in 0..<50 { #expect(try phone.push("{}").story() == []) }
            #expect(try waitUntil { try units(of: phone, "--state=failed") == ["\(phone.name)-missing.service"] })
            #expect(
                try waitUntil { try units(of: phone, "--all").filter { $0.contains("@") || $0.contains("tidy") } == [] }
            )
        }

        @Test("belfry says at once which program is missing, and what to do") func said() throws {
            let phone = try Phone(hasWorker: false)
            defer { _ = try? phone.systemctl("reset-failed", "\(phone.name)-missing.service") }
            // As a package that was half removed.
            let alone = TemporaryFolder()
            _ = try run("/bin/cp", ["\(Surroundings.programs)/belfry", alone.path])
            let start = bootTimeMicroseconds()
            let refused = try run("\(alone.path)/belfry", ["call", "--name", "Ada"], environment: phone.environment)
            #expect(bootTimeMicroseconds() - start < 5_000_000)
            #expect(refused.status == .exited(code: 69))
            #expect(
                refused.errors.contains(
                    "nobody took the notification: there is no \(alone.path)/belfry-worker: install"),
                "\(refused.errors)")
        }

        @Test("the worker of a phone that has one leaves no unit failed as it dies") func present() throws {
            let phone = try Phone()
            let call = try phone.call("A")
            try call.wait(for: "delivered")
            kill(try #require(phone.worker(of: "A")), SIGKILL)
            #expect(waitUntil { phone.ledger().call(.init("A"))?.state == .missed })
            #expect(try waitUntil { try units(of: phone, "--all").filter { $0.contains("tidy") } == [] })
            #expect(try !phone.hasFailedUnits())
        }

        @Test("a desktop whose program is missing is tried for a while, and then stays failed; calls ring")
        func desktop() throws {
            let phone = try Phone(hasDesktop: true)
            let unit = "\(phone.name)-desktop.service"
            defer { _ = try? phone.systemctl("reset-failed", "\(phone.name)*") }
            let folder = "\(Surroundings.home)/.config/systemd/user/\(unit).d"
            _ = try run("/bin/mkdir", ["-p", folder])
            let text = "[Unit]\nStartLimitBurst=5\n[Service]\nExecStart=\nExecStart=/nosuch/belfry-desktop\n"
            _ = try run("/usr/bin/tee", ["\(folder)/missing.conf"], input: text)
            defer { _ = try? run("/bin/rm", ["-r", folder]) }
            try phone.systemctl("daemon-reload")
            let call = try phone.call("A")
            try call.wait(for: "ringing")
            #expect(try waitUntil { try units(of: phone, "--state=failed").contains(unit) })
            try phone.belfry("answer")
            #expect(try call.wait(for: "ended").ended?.reason == .answered)
        }

        private func units(of phone: Phone, _ which: String) throws -> [String] {
            try phone.systemctl("list-units", which, "--no-legend", "--plain", "\(phone.name)*").output
                .split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
        }
    }
}
