import BelfryAppGroup
import BelfrySyscalls
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("docs/fleet.md, followed literally") struct FleetPage {
        /// How many of the page's blocks are of each set-up.
        private static let (field, staging) = (0..<4, 4..<5)
        /// The most commands of one.
        private static let commandsMax = 14

        @Test("machines in the field: three brokers, two gateways, and it rings") func rings() throws {
            let blocks = shellBlocks(of: "docs/fleet.md")
            #expect(blocks.count == Self.staging.upperBound)
            let hosts = try PlayedHosts(["gate-1.example", "gate-2.example", "kiosk-1.example"], brokers: 3)
            try follow(blocks[Self.field], on: hosts, as: "keys.example", gateway: "gate-1.example")
            #expect(try waitUntil { try hosts["kiosk-1.example"].rings().map(\.call) == ["1"] })
            // What the page says of both gateways: one authority, one set of credentials.
            let authorities = try ["gate-1.example", "gate-2.example"].map { name in
                contents(of: "\(try hosts[name].state.path)/credentials/ca.pem")
            }
            #expect(!authorities[0].isEmpty && authorities[0] == authorities[1])
        }

        @Test("a staging server: keys, broker and gateway on one host, and it rings elsewhere") func staging() throws {
            let blocks = shellBlocks(of: "docs/fleet.md")
            let hosts = try PlayedHosts(["staging.example", "phone-1.example"], brokers: 1)
            try follow(blocks[Self.staging], on: hosts, as: "staging.example", gateway: "staging.example")
            #expect(try waitUntil { try hosts["phone-1.example"].rings().map(\.call) == ["1"] })
            let phone = try hosts["phone-1.example"]
            #expect(try fleetFinding(of: phone).contains("1 of 1 lines up, gateway staging"))
            // Its socket listens on, and a question would start it.
            try phone.systemctl("stop", "\(phone.name)-agent.service")
            #expect(try fleetFinding(of: phone).contains("belfry-agent.service is off: no push comes here"))
            #expect(try phone.belfry("status").output.contains("machine phone-1: belfry-agent.service is off"))
            let unit = "\(phone.name)-agent.service"
            #expect(try phone.systemctl("show", "--property=ActiveState", "--value", unit).output == "inactive\n")
        }

        /// What the doctor says of the fleet.
        private func fleetFinding(of phone: Phone) throws -> Substring {
            let said = try phone.belfry("doctor", "--json").output
            return try #require(said.split(separator: "\n").first { $0.contains(#""check":"fleet""#) }, "\(said)")
        }

        /// Runs `blocks` at `host`, where the keys are; the push at the end is answered 200.
        private func follow(
            _ blocks: ArraySlice<String>, on hosts: PlayedHosts, as host: String, gateway: String
        ) throws {
            let script = blocks.joined(separator: "\n")
            let commands = script.split(separator: "\n").filter { line in
                !line.hasPrefix("for ") && line != "done" && line != "END" || line.hasSuffix("; done")
            }
            #expect((1...Self.commandsMax).contains(commands.count), "\(commands.count) commands")
            let said = try hosts.shell(script, at: host, pushingTo: gateway)
            #expect(said.status.isSuccess && said.output.contains("200\n"), "\(said.output) \(said.errors)")
        }
    }
}

/// The hosts of a page on this one: each has a home, those that run units have units of their own, and `ssh` goes from
/// one to another. What of the page cannot be as it stands on one host is replaced: names and ports of brokers, the
/// endpoint's port, and names of units.
private final class PlayedHosts {
    private let folder = TemporaryFolder(in: "/var/tmp")
    private let id = String(UInt32.random(in: .min ... .max), radix: 36)
    private var phones: [String: Phone] = [:]
    private let ports: [UInt16]

    init(_ names: [String], brokers: Int) throws {
        var listeners: [Int32] = []
        ports = try (0..<2 * brokers).map { _ in
            var port: UInt16 = 0
            // All are held until all are known.
            listeners.append(dup(try listenLocally(backlog: 1, port: &port).number))
            return port
        }
        for listener in listeners { close(listener) }
        for name in names {
            let state = "\(folder.makeFolder(name))/.local/state/belfry"
            let phone = try Phone(["BELFRY_STATE_DIRECTORY": state], isInFleet: true)
            phones[name] = phone
            let variables = phone.environment.merging(["UNITS": phone.name]) { $1 }
            let lines = variables.map { "export \($0.key)='\($0.value)'\n" }.joined()
            folder.write(Array(lines.utf8), to: "\(name)/.variables")
        }
        folder.makeFolder("programs")
        for (name, text) in ["ssh": ssh, "systemctl": Self.systemctl] {
            #expect(unsafe chmod(folder.write(Array("#!/bin/sh\n\(text)\n".utf8), to: "programs/\(name)"), 0o755) == 0)
        }
        #expect(unsafe symlink(Office.program, "\(folder.path)/programs/nats-server") == 0)
    }

    deinit { _ = try? run("/usr/bin/systemctl", ["--user", "stop", "belfry-broker-\(id)-*"]) }

    subscript(_ name: String) -> Phone { get throws { try #require(phones[name]) } }

    /// As that host's user, in whose home; hosts that run nothing but a broker are there once they are named.
    private var ssh: String {
        """
        HOST=$1 HOME="\(folder.path)/$1"; shift
        export HOST HOME; mkdir -p "$HOME"; cd "$HOME"
        if [ -e .variables ]; then . ./.variables; fi
        exec /bin/sh -euc "$*"
        """
    }

    /// Of the host's own units; enabled is what the test's are not.
    private static let systemctl = """
        words=
        for word; do case $word in
            enable) words="$words start" ;;
            --now) ;;
            belfry*) words="$words $UNITS${word#belfry}" ;;
            *) words="$words $word" ;;
        esac; done
        exec /usr/bin/systemctl $words
        """

    /// Runs `script` at `host`, and ends it after a minute.
    func shell(_ script: String, at host: String, pushingTo gateway: String) throws -> Finished {
        var script = script
        let count = ports.count / 2
        let brokers = count == 1 ? ["staging.example"] : (1...count).map { "broker-\($0).example" }
        for (number, name) in brokers.enumerated() {
            let (port, routePort) = (ports[number], ports[count + number])
            script = replace("--broker \(name)", with: "--broker 127.0.0.1:\(port):\(routePort)", in: script)
            script = replace("broker-\(name)", with: "broker-127.0.0.1-\(port)", in: script)
        }
        script = replace("127.0.0.1:2197", with: "127.0.0.1:\(try self[gateway].endpointPort)", in: script)
        script = replace("--unit=belfry-broker", with: "--unit=belfry-broker-\(id)-$HOST", in: script)
        let path = "\(folder.path)/programs:\(Surroundings.programs):\(Surroundings.value("PATH") ?? "")"
        return try run(
            "/usr/bin/timeout", ["60", "\(folder.path)/programs/ssh", host, script], environment: ["PATH": path])
    }
}
