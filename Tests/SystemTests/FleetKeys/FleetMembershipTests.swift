import BelfryAppGroup
import BelfrySyscalls
import Fleet
import FleetKeys
import Glibc
import Support
import Testing

/// Which fleet a machine belongs to, as its state directory has it.
@Suite struct FleetMembershipTests {
    private let folder = TemporaryFolder()
    private let fleet: PlayedFleet

    init() throws { fleet = try PlayedFleet() }

    private var state: StateDirectory { StateDirectory(path: "\(folder.path)/state") }
    private var membership: FleetMembership { FleetMembership(state: state) }

    private func mode(_ name: String) throws -> mode_t {
        var status = stat()
        try checked("stat") { unsafe stat("\(state.path)/fleet/\(name)", &status) }
        return status.st_mode & 0o7777
    }

    @Test("who joined nothing has no credential, and makes no folder to find that out") func nothing() throws {
        #expect(try membership.credential() == nil)
        #expect(try !membership.leave())
        #expect(!FleetMembership.isGateway(state))
        #expect(unsafe access(state.path, F_OK) != 0)
    }

    @Test("a credential is kept as it came, for its owner alone; one that came later takes its place")
    func kept() throws {
        let machine = try fleet.enroll("kiosk-1", as: .shared)
        try membership.keep(machine)
        #expect(try membership.credential() == machine && mode("machine") == 0o600)
        #expect(!FleetMembership.isGateway(state))
        // What a command that was killed left is no hindrance.
        try Directory.open(path: "\(state.path)/fleet", makes: false).makeFile("machine.new")
        let again = try fleet.enroll("kiosk-1", as: .shared, again: true)
        try membership.keep(again)
        #expect(try membership.credential() == again && again != machine)
    }

    @Test("a gateway is no machine: it is one of both") func gateway() throws {
        let (machine, gateway) = (try fleet.enroll("a"), try fleet.enroll("a", as: .gateway))
        try membership.keep(machine)
        try membership.keep(gateway)
        #expect(try membership.credential() == gateway && mode("gateway") == 0o600)
        #expect(FleetMembership.isGateway(state))
        #expect(unsafe access("\(state.path)/fleet/machine", F_OK) != 0)
        try membership.keep(machine)
        #expect(try membership.credential() == machine)
        #expect(!FleetMembership.isGateway(state))
        #expect(try membership.leave())
        #expect(try membership.credential() == nil)
    }

    @Test("one that is damaged is told with its reason, and can be left") func damaged() throws {
        try membership.keep(fleet.enroll("a"))
        let kept = try Directory.open(path: "\(state.path)/fleet", makes: false)
        try kept.write(Array("version: 1\nname: a\n".utf8), as: "machine", aside: "machine.new")
        let error = #expect(throws: FleetError.self) { _ = try membership.credential() }
        #expect(error?.description == "\(state.path)/fleet/machine: it is cut short: there is no whole role")
        #expect(try membership.leave())
        #expect(try membership.credential() == nil)
    }
}
