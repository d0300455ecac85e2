import BelfryDevices
import BelfryAppGroup
import BelfrySyscalls
import Fleet
import FleetKeys
import Support
import Testing

/// Three brokers on one host, each with the folder that a set-up made for it.
@Suite struct BrokerClusterTests {
    @Test("they find each other by the fleet's certificates, agree on who leads, and pass on what machines say")
    func three() throws {
        let folder = TemporaryFolder()
        let setup = try FleetSetup(state: StateDirectory(path: "\(folder.path)/state"))
        let ports = SetUpBroker.freePorts(6)
        let brokers = try (0..<3).map { try #require(Broker("127.0.0.1:\(ports[$0]):\(ports[$0 + 3])")) }
        let running = try setup.setUp(adding: brokers, at: PlayedFleet.now).map { folder in
            try SetUpBroker(folder: folder.path, port: folder.broker.address.port)
        }
        for broker in running { #expect(broker.logged("metadata leader") != nil) }
        func credential(_ name: String, _ role: FleetRole) throws -> FleetCredential {
            let path = try setup.enroll(
                #require(FleetName(name)), as: role, until: nil, again: false, at: PlayedFleet.now)
            return try FleetCredential(bytes: readFile(at: path, bytesMax: FleetCredential.bytesMax).bytes)
        }
        let machine = try BrokerLine(running[0].port, credential("kiosk-1", .machine))
        let gateway = try BrokerLine(running[2].port, credential("gate", .gateway))
        #expect(try machine.answers(to: "SUB belfry.push.kiosk-1 1\r\n") == [])
        // What one broker knows of whom the others hear of it tells the next, so the gateway asks until it is heard.
        #expect(try gateway.answers(to: "SUB belfry.said.*.gate.* 1\r\nSUB _INBOX.gate.> 2\r\n") == [])
        var isHeard = false
        for _ in 0..<1_000 where !isHeard {
            try gateway.send("PUB belfry.push.kiosk-1 _INBOX.gate.1 0\r\n\r\nPING\r\n")
            while let line = gateway.line(), line != "PONG" { isHeard = isHeard || line.hasPrefix("MSG") }
            try machine.send("PING\r\n")
            while let line = machine.line(), line != "PONG" { isHeard = isHeard || line.hasPrefix("MSG") }
        }
        #expect(isHeard)
        // Another broker is none of them without a certificate of the fleet's.
        let foreign = try PlayedFleet()
        let shown = ["-cert", "\(foreign.folder.path)/server.pem", "-key", "\(foreign.folder.path)/server-key.pem"]
        for (words, refusal) in [([], "client didn't provide a certificate"), (shown, "signed by unknown authority")] {
            let address = ["s_client", "-connect", "127.0.0.1:\(brokers[0].routePort)"]
            _ = try ProgramRun("/usr/bin/openssl", address + words).lines()
            #expect(running[0].logged("TLS route handshake error: ")?.contains(refusal) == true)
        }
        for broker in running { try broker.stop() }
    }
}
