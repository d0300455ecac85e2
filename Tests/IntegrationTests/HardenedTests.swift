import BelfryAppGroup
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import GroupLedger
import Support
import Testing

extension IntegrationTests {
    @Suite("hardened.conf on every unit, put there as docs/operations.md says") struct Hardened {
        /// The units with the drop-in, those whose sockets are named among them listening.
        private func installation(_ settings: [String: String], sockets: [String]) throws -> Installation {
            // It leaves nothing to be written but what lies below the manager's home and its runtime directory.
            let installation = try Installation(in: Surroundings.home, settings)
            let lines = shellBlocks(of: "docs/operations.md").joined(separator: "\n")
            let usual = "~/.local/share/doc/belfry/hardened.conf"
            #expect(lines.contains(usual))
            let done = try installation.shell(
                "drop_in=\(Surroundings.programs)/../share/doc/belfry/hardened.conf\n"
                    + lines.split(separator: " ").map { $0 == usual ? "\"$drop_in\"" : $0 }.joined(separator: " "),
                ["HOME": Surroundings.home])
            #expect(done.status.isSuccess, "\(done.errors)")
            // An app is no program of ours: what it may do is for its own drop-in to say.
            for service in Installation.services where service != "belfry-app@.service" {
                let shown = service.split(separator: "@").joined(separator: "@0")
                #expect(
                    try installation.systemctl("show", "--property=PrivateUsers", "--value", shown) == "yes\n",
                    "\(service)")
            }
            for socket in sockets { try installation.systemctl("start", "\(socket).socket") }
            return installation
        }

        /// Whether the process has user and group of its own, as the drop-in asks for.
        private func isApart(_ process: Int32) -> Bool {
            let map = contents(of: "/proc/\(process)/uid_map")
            return !map.isEmpty && map != contents(of: "/proc/self/uid_map")
        }

        private func delivered(_ event: Event) -> NotificationContent? {
            guard case .delivered(_, let content, _) = event.body else { return nil }
            return content
        }

        private func mainProcess(_ unit: String, of installation: Installation) throws -> Int32 {
            let shown = try installation.systemctl("show", "--property=MainPID", "--value", unit)
            return try #require(Int32(shown.filter(\.isNumber)))
        }

        @Test("calls through the endpoint ring and are shown; one is hung up, one is missed when its worker is killed")
        func calls() throws {
            let server = try StubServer()
            let installation = try installation([:], sockets: ["belfry", "belfry-desktop", "belfry-apns"])
            let said = try installation.shell(shellBlocks(of: "docs/apns.md").joined(separator: "\n"))
            #expect(said.status.isSuccess, "\(said.errors)")
            #expect(try waitUntil { try Set(installation.calls()) == ["1", "2"] }, "\(said.output)")
            #expect(try server.shows { $0.contains { $0.category == "call.incoming" && $0.summary == "Anna" } })
            for unit in ["belfry-apns.service", "belfry-desktop.service"] {
                #expect(try isApart(mainProcess(unit, of: installation)), "\(unit)")
            }
            #expect(try installation.shell("belfry hangup 1").status.isSuccess)
            #expect(try waitUntil { try installation.calls() == ["2"] })
            let file = GroupFile(
                state: StateDirectory(path: "\(installation.home)/.local/state/belfry"),
                group: try #require(GroupName("group.belfry")))
            let ringing = Ledger(reading: file.snapshot()).call(CallKey("2"))
            #expect(isApart(try #require(ringing?.owner.flatMap { Int32(exactly: $0.pid) })))
            try installation.systemctl("kill", "--signal=KILL", "belfry@*.service")
            #expect(waitUntil { Ledger(reading: file.snapshot()).call(CallKey("2"))?.state == .missed })
            #expect(try installation.shell("belfry doctor || true").output.contains("in force for all units"))
        }

        @Test("an extension does all that it can without it, whoever keeps its process, and one pushed to it arrives")
        func extensions() throws {
            let folder = TemporaryFolder()
            let path = sampleExtension(in: folder)
            let installation = try installation(
                ["BELFRY_EXTENSION": path, "BELFRY_EXTENSION_REUSE": "yes"],
                sockets: ["belfry", "belfry-extension", "belfry-apns"])
            let sound = folder.write(
                bytes(of: "\(Surroundings.programs)/../share/belfry/sounds/ring.wav"), to: "Sample.appex/ring.wav")
            let client = try Client(
                socket: "\(Surroundings.runtimeDirectory)/belfry/push.sock",
                sending: Array(
                    #"{"aps": {"alert": {"title": "t"}, "mutable-content": 1}, "do": "walk", "path": "\#(sound)"}"#.utf8
                ))
            let content = try #require(delivered(client.wait(for: "delivered")))
            #expect(content.body == "drawing keychain database defaults" && content.subtitle == "played")
            #expect(content.attachments.map(\.id) == ["drawn"], "\(client.story())")
            #expect(try isApart(mainProcess("belfry-extension.service", of: installation)))
            let push = #"{"aps":{"alert":{"title":"t"},"mutable-content":1},"do":"attach"}"#
            let said = try installation.shell(
                """
                belfry apns setup >/dev/null
                TOKEN=$(belfry device add --bundle-id com.example.phone --json | sed 's/.*alertToken":"//;s/".*//')
                FILE=$(belfry apns credentials new --bundle-id com.example.phone | sed -n 's/^certificate *//p')
                curl --silent --show-error --cacert .local/state/belfry/credentials/ca.pem -w '%{http_code}' \
                    --cert "$FILE" -H 'apns-topic: com.example.phone' -d '\(push)' \
                    "https://localhost:2197/3/device/$TOKEN"
                """)
            #expect(said.output == "200", "\(said.errors)")
            #expect(
                try waitUntil { try installation.shell("belfry apns log").output.contains(" delivered extension") })
            let kept = "\(installation.home)/.local/state/belfry/extensions/com.example.sample/attachments"
            #expect(names(in: kept).count == 2)
        }
    }
}
