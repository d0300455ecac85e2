import BelfryAppGroup
import BelfryDatabase
import BelfryDevices
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Support
import Testing

/// The registry as a relay writes it, and as the endpoint then reads it.
@Suite struct RegistryMirrorTests {
    private let folder = TemporaryFolder()
    private let now = WallTime(microseconds: 1_800_000_000_000_000)
    private let door = FleetName("door")!

    private var state: StateDirectory { StateDirectory(path: folder.path) }

    private func device(
        _ id: String = randomUUID(), of machine: String = "door", alert: DeviceToken = .random(),
        removedAt: WallTime? = nil
    ) -> VirtualDevice {
        VirtualDevice(
            id: id, bundleID: "com.example.phone", appGroup: GroupName("group.a"), environment: .development,
            callPayload: nil, alertToken: alert, voipToken: .random(), machine: FleetName(machine), addedAt: now,
            removedAt: removedAt, isOffline: false)
    }

    private func kept(_ mirror: RegistryMirror) throws -> [VirtualDevice] {
        var devices: [VirtualDevice] = []
        try mirror.each { devices.append($0) }
        return devices.sorted { $0.id < $1.id }
    }

    @Test("what a relay keeps, changes, removes and forgets the endpoint knows so, and another relay finds it")
    func changes() throws {
        let (mirror, endpoint) = (try RegistryMirror(state: state), try TokenRegistry(state: state))
        let (first, second) = (device(), device(of: "desk"))
        #expect(try mirror.make([.keep(first), .keep(second)]) == [])
        #expect(endpoint.device(first.id) == first && endpoint.standing(of: second.alertToken).machine?.text == "desk")
        let gone = VirtualDevice(
            id: first.id, bundleID: first.bundleID, appGroup: first.appGroup, environment: first.environment,
            callPayload: nil, alertToken: first.alertToken, voipToken: first.voipToken, machine: first.machine,
            addedAt: now, removedAt: now + .seconds(1), isOffline: false)
        #expect(try mirror.make([.keep(gone)]) == [] && endpoint.device(first.id)?.removedAt == now + .seconds(1))
        #expect(try kept(RegistryMirror(state: state)) == [gone, second].sorted { $0.id < $1.id })
        // Another machine's word changes nothing.
        #expect(try mirror.make([.forget(first.id, of: #require(FleetName("desk")))]) == [])
        #expect(endpoint.device(first.id) != nil)
        #expect(try mirror.make([.forget(first.id, of: door)]) == [])
        #expect(endpoint.device(first.id) == nil && endpoint.standing(of: first.alertToken) == .unknown)
        // The revision of what was forgotten is nobody's again.
        let third = device()
        #expect(try mirror.make([.forget(second.id, of: #require(second.machine)), .keep(third)]) == [])
        #expect(endpoint.device(third.id) == third && endpoint.device(second.id) == nil)
        #expect(try mirror.make([.forget(third.id, of: door)]) == [])
        let own = try endpoint.add(bundleID: "com.example.phone", appGroup: nil, environment: .production, at: now)
        #expect(try TokenRegistry(state: state).all() == [own] && endpoint.all() == [own])
    }

    @Test("this machine's devices are never touched, neither by their names nor by their tokens")
    func own() throws {
        let (mirror, endpoint) = (try RegistryMirror(state: state), try TokenRegistry(state: state))
        let own = try endpoint.add(bundleID: "com.example.phone", appGroup: nil, environment: .production, at: now)
        let other = device()
        let (named, claiming) = (device(own.id), device(alert: own.voipToken))
        #expect(try mirror.make([.keep(named), .keep(other), .keep(claiming)]) == [named.id, claiming.id])
        #expect(try mirror.make([.forget(own.id, of: door)]) == [])
        #expect(endpoint.device(own.id) == own && endpoint.device(other.id) == other && endpoint.all().count == 2)
        #expect(try kept(mirror) == [other])
    }

    @Test("a token goes from one machine's device to another's, and one's own from old to new")
    func tokens() throws {
        let (mirror, endpoint) = (try RegistryMirror(state: state), try TokenRegistry(state: state))
        let first = device()
        #expect(try mirror.make([.keep(first)]) == [])
        let second = device(of: "desk", alert: first.alertToken)
        #expect(try mirror.make([.keep(second)]) == [])
        #expect(endpoint.standing(of: first.alertToken).machine?.text == "desk" && endpoint.device(first.id) == nil)
        #expect(endpoint.standing(of: first.voipToken) == .unknown)
        let anew = device(second.id, of: "desk")
        #expect(try mirror.make([.keep(anew)]) == [])
        #expect(endpoint.standing(of: second.alertToken) == .unknown && endpoint.device(second.id) == anew)
    }

    @Test("of those that were forgotten the last 10,000 are told")
    func forgottenMax() throws {
        let (mirror, endpoint) = (try RegistryMirror(state: state), try TokenRegistry(state: state))
        let devices = (0..<10_010).map { _ in device() }
        #expect(try mirror.make(devices.map { .keep($0) }) == [])
        #expect(endpoint.all().count == devices.count)
        #expect(try mirror.make(devices.map { .forget($0.id, of: door) }) == [])
        #expect(endpoint.all().count == 10)
        #expect(try TokenRegistry(state: state).all().isEmpty)
    }

    @Test("a registry that was damaged and set aside is another one, once")
    func another() throws {
        let mirror = try RegistryMirror(state: state)
        #expect(try mirror.make([.keep(device())]) == [] && !mirror.isAnother())
        let directory = try Directory.open(path: "\(folder.path)/devices", makes: false)
        try Database.setAside("devices.sqlite", in: directory)
        _ = try TokenRegistry(state: state)
        #expect(mirror.isAnother() && !mirror.isAnother())
        #expect(try kept(mirror).isEmpty)
        #expect(try mirror.make([.keep(device())]) == [])
    }

    @Test("devices that a machine got elsewhere are added as they are")
    func given() throws {
        let registry = try TokenRegistry(state: state)
        let own = VirtualDevice(
            id: randomUUID(), bundleID: "com.example.phone", appGroup: nil, environment: .production, callPayload: nil,
            alertToken: .random(), voipToken: .random(), addedAt: now, isOffline: true)
        #expect(try registry.add([own]) == [own] && registry.all() == [own])
        #expect(throws: RegistryError.self) { try registry.add([own]) }
    }
}
