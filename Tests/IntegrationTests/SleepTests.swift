import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("The machine stays awake while a call rings loud") struct Sleep {
        private static let name = "org.freedesktop.login1"
        private static let path = "/org/freedesktop/login1"
        /// The session's bus stands in for the machine's.
        private let bus = ["DBUS_SYSTEM_BUS_ADDRESS": Surroundings.value("DBUS_SESSION_BUS_ADDRESS") ?? ""]

        private func inhibitors() throws -> String {
            let answer = try Bus.call(Self.name, Self.path, "\(Self.name).Manager.ListInhibitors", [])
            #expect(answer.status.isSuccess, "\(answer.errors)")
            return answer.output
        }

        /// What doctor finds, as a line.
        private func finding() throws -> String {
            let answer = try run("\(Surroundings.programs)/belfry", ["doctor"], environment: bus)
            return answer.output.split(separator: "\n").first { $0.contains("  sleep  ") }.map(String.init) ?? ""
        }

        @Test("by a lock of logind's that goes with the ring, also if its worker is killed; doctor leaves none")
        func held() throws {
            let logind = try BusService(
                "/usr/bin/python3", ["-m", "dbusmock", "--template", "logind"], environment: bus, name: Self.name)
            #expect(try finding().hasPrefix("ok    sleep          the machine stays awake"))
            #expect(try waitUntil { try inhibitors().contains("[]") })
            let phone = try Phone(bus)
            let call = try phone.call("A")
            try call.wait(for: "ringing")
            #expect(
                try waitUntil { try inhibitors().contains("('sleep:idle', 'Belfry', 'a call rings', 'block'") })
            try phone.belfry("silence", "A")
            #expect(try waitUntil { try inhibitors().contains("[]") })
            try phone.belfry("answer", "A")
            _ = call.story()
            try phone.call("B").wait(for: "ringing")
            #expect(try waitUntil { try inhibitors().contains("sleep:idle") })
            kill(try #require(phone.worker(of: "B")), SIGKILL)
            #expect(try waitUntil { try inhibitors().contains("[]") })
            _ = logind
        }

        @Test("where logind refuses it the call rings all the same, and doctor says why") func refused() throws {
            let logind = try BusService(
                "/usr/bin/python3", ["-m", "dbusmock", "--session", Self.name, Self.path, "\(Self.name).Manager"],
                name: Self.name)
            let refusal = "raise dbus.exceptions.DBusException('authentication required', name='org.example.No')"
            let added = try Bus.call(
                Self.name, Self.path, "org.freedesktop.DBus.Mock.AddMethod",
                ["\(Self.name).Manager", "Inhibit", "ssss", "h", refusal])
            #expect(added.status.isSuccess, "\(added.errors)")
            #expect(
                try finding().hasPrefix(
                    "warn  sleep          logind does not let calls keep the machine awake: authentication required"))
            let phone = try Phone(bus)
            let call = try phone.call("A")
            #expect(try call.wait(for: "ringing").ringing?.mode == .loud)
            try call.wait(for: "tick")
            try phone.belfry("answer")
            #expect(call.story().last == "ended answered")
            _ = logind
        }

        @Test("without a bus of the machine's nothing is held, which is no fault") func absent() throws {
            let gone = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
            let answer = try run("\(Surroundings.programs)/belfry", ["doctor"], environment: gone)
            #expect(answer.output.contains("ok    sleep          no logind runs"))
            let call = try Phone(gone).call("A")
            #expect(try call.wait(for: "ringing").ringing?.mode == .loud)
        }
    }
}
