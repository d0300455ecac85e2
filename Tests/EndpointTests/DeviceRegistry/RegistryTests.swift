import BelfryAppGroup
import BelfryDatabase
import BelfryDevices
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

@testable import DeviceRegistry

@Suite struct RegistryTests {
    private let folder = TemporaryFolder()
    private let now = WallTime(microseconds: 1_800_000_000_000_000)

    private func registry(_ makeToken: @escaping () -> DeviceToken = { .random() }) throws -> TokenRegistry {
        try TokenRegistry(state: StateDirectory(path: folder.path), makeToken: makeToken)
    }

    private func added(
        to registry: TokenRegistry, group: String? = nil, _ environment: APNsEnvironment = .production
    ) throws -> VirtualDevice {
        try registry.add(
            bundleID: "com.example.phone", appGroup: group.flatMap(GroupName.init), environment: environment, at: now)
    }

    @Test("a device has a token for calls and one for the rest, each known with its group, topic and environment")
    func add() throws {
        let registry = try registry()
        let device = try added(to: registry, group: "group.a", .development)
        #expect(device.alertToken != device.voipToken && isUUID(device.id) && device.addedAt == now)
        guard case .registered(let alert) = registry.standing(of: device.alertToken),
            case .registered(let voip) = registry.standing(of: device.voipToken)
        else { return #expect(Bool(false), "a token is not known") }
        #expect(alert.topic == "com.example.phone" && voip.topic == "com.example.phone.voip")
        #expect(alert.appGroup?.text == "group.a" && alert.environment == .development)
        #expect(alert.deviceID == device.id && voip.deviceID == device.id)
        #expect(registry.standing(of: .random()) == .unknown)
    }

    @Test("what one process writes, another sees with its next question, and the next one finds it there")
    func others() throws {
        let (writer, reader) = (try registry(), try registry())
        #expect(reader.all().isEmpty)
        let device = try added(to: writer)
        #expect(reader.standing(of: device.alertToken) == .registered(device.registrations[0]))
        #expect(reader.all() == [device])
        #expect(try reader.setOffline(true, device.id))
        #expect(writer.device(device.id)?.isOffline == true)
        #expect(try writer.setOffline(false, device.id))
        #expect(reader.device(device.id)?.isOffline == false)
        let second = try added(to: reader, group: "group.b")
        #expect(Set(try registry().all().map(\.id)) == [device.id, second.id])
    }

    @Test("a token that was removed stays known with the time, and its device is gone")
    func removed() throws {
        let registry = try registry()
        let device = try added(to: registry)
        #expect(try registry.remove(device.id, at: now + .seconds(5)))
        for registration in device.registrations {
            #expect(registry.standing(of: registration.token) == .removed(registration, at: now + .seconds(5)))
        }
        #expect(try !registry.remove(device.id, at: now + .seconds(9)))
        #expect(try !registry.setOffline(true, device.id))
        #expect(try !registry.remove("no such device", at: now))
        #expect(registry.device(device.id)?.removedAt == now + .seconds(5))
        _ = try registry.add(
            bundleID: device.bundleID, appGroup: nil, environment: .production, at: now + .seconds(6))
        let standing = registry.standing(of: device.voipToken)
        guard case .removed(_, _, isReplaced: true) = standing else {
            Issue.record("\(standing)")
            return
        }
    }

    @Test("no token is issued twice, not even one that was removed, nor one for both purposes")
    func twice() throws {
        var tokens: [DeviceToken] = []
        let registry = try registry { tokens.removeFirst() }
        let (one, two, three) = (DeviceToken.random(), DeviceToken.random(), DeviceToken.random())
        tokens = [one, two]
        let device = try added(to: registry)
        _ = try registry.remove(device.id, at: now)
        for taken in [[one, three], [three, two], [three, three]] {
            tokens = taken
            #expect(throws: RegistryError("that token has been issued already")) { try added(to: registry) }
        }
        #expect(registry.all().count == 1)
    }

    @Test(
        "a bundle identifier is names of letters, digits and hyphens with dots between them, and no topic of calls",
        arguments: [
            ("", "is no bundle identifier, of letters, digits, dots and hyphens"),
            ("a b", "is no bundle identifier, of letters, digits, dots and hyphens"),
            ("é", "is no bundle identifier, of letters, digits, dots and hyphens"),
            ("a/b", "is no bundle identifier, of letters, digits, dots and hyphens"),
            (String(repeating: "a", count: 241), "is no bundle identifier, of letters, digits, dots and hyphens"),
            ("com.example.phone.voip", "is a topic, that of calls: leave .voip away"),
            (".x", "is no bundle identifier: each dot stands between two names"),
            ("com..x", "is no bundle identifier: each dot stands between two names"),
            ("com.x.", "is no bundle identifier: each dot stands between two names"),
        ])
    func bundleIDs(_ text: String, _ why: String) throws {
        let registry = try registry()
        #expect(throws: RegistryError("\(text) \(why)")) {
            try registry.add(bundleID: text, appGroup: nil, environment: .production, at: now)
        }
        #expect(registry.all().isEmpty)
    }

    @Test("of many devices all are added, or none, and no more than there may be")
    func many() throws {
        let limit = TokenRegistry.devicesMax
        var left = 2_003
        let last = DeviceToken.random()
        // The last token of all comes a second time.
        let registry = try registry {
            left -= 1
            return left > 0 ? .random() : last
        }
        func add(_ count: Int) throws -> [VirtualDevice] {
            try registry.add(count, bundleID: "a.b", appGroup: nil, environment: .production, at: now)
        }
        let added = try add(1_001)
        #expect(Set(added.flatMap { [$0.alertToken, $0.voipToken] }).count == 2_002)
        #expect(throws: RegistryError("that token has been issued already")) { try add(1_001) }
        #expect(try self.registry().all().count == 1_001)
        #expect(throws: RegistryError("there are \(limit) devices at most, and 1001 already")) {
            try add(limit - 1_000)
        }
    }

    @Test("a longest bundle identifier is taken")
    func longest() throws {
        let text = String(repeating: "a", count: Registration.bundleIDBytesMax)
        _ = try registry().add(bundleID: text, appGroup: nil, environment: .production, at: now)
    }

    @Test("R13: a damaged file is set aside, once, and everybody goes over to the new one")
    func damaged() throws {
        let survivor = try registry()
        let device = try added(to: survivor)
        #expect(try registry().wasSetAside == false)
        let path = "\(folder.path)/devices/devices.sqlite"
        // Whoever replaces a file by a damaged one.
        #expect(unsafe unlink(path) == 0 && unlink("\(path)-wal") == 0 && unlink("\(path)-shm") == 0)
        folder.write([UInt8](repeating: 7, count: 8192), to: "devices/devices.sqlite")
        let fresh = try registry()
        #expect(fresh.wasSetAside && fresh.all().isEmpty)
        #expect(try registry().wasSetAside == false)
        #expect(unsafe access("\(path).corrupt", F_OK) == 0)
        let other = try added(to: fresh)
        #expect(survivor.all() == [other] && survivor.standing(of: device.alertToken) == .unknown)
    }

    @Test("R13: so is one whose damage is found as it is read, and the folder is made if it is missing")
    func damagedWithin() throws {
        let state = StateDirectory(path: folder.path + "/new")
        var registry: TokenRegistry? = try TokenRegistry(state: state)
        let device = try added(to: #require(registry))
        registry = nil
        folder.damage("new/devices/devices.sqlite", from: 4_096)
        let fresh = try TokenRegistry(state: state)
        #expect(fresh.wasSetAside && fresh.standing(of: device.alertToken) == .unknown)
        let other = try added(to: fresh)
        #expect(try TokenRegistry(state: state).all() == [other])
    }

    @Test("each change is told once, one's own at once")
    func changes() throws {
        let (watched, writer) = (try registry(), try registry())
        var seen: [String] = []
        watched.onChange = { seen.append($0.id) }
        let (one, two) = (try added(to: writer), try added(to: writer))
        watched.look()
        #expect(seen == [one.id, two.id])
        #expect(try watched.remove(one.id, at: now) && seen == [one.id, two.id, one.id])
        _ = try writer.setOffline(true, two.id)
        watched.look()
        #expect(seen == [one.id, two.id, one.id, two.id])
    }

    /// Writes to the file behind the registry's back.
    private func write(_ statement: String) throws {
        let directory = try Directory.open(path: folder.path + "/devices", makes: false)
        try Database("devices.sqlite", in: directory, sharing: .shared, bytesMax: 1 << 30).execute(statement)
    }

    @Test(
        "what another program wrote is no device if its id, app, group or environment is none",
        arguments: [
            ("'one'", "'com.example.phone'", "NULL", "'production'"),
            ("'00000000-0000-4000-8000-000000000000'", "'com.example.phone.voip'", "NULL", "'production'"),
            ("'00000000-0000-4000-8000-000000000000'", "'com.example.phone'", "'../a'", "'production'"),
            ("'00000000-0000-4000-8000-000000000000'", "'com.example.phone'", "'group.a'", "'test'"),
        ])
    func foreignRows(id: String, bundleID: String, group: String, environment: String) throws {
        let registry = try registry()
        let device = try added(to: registry)
        try write(
            """
            INSERT INTO devices (id, bundle, app_group, environment, alert, voip, added, revision)
            VALUES (\(id), \(bundleID), \(group), \(environment), randomblob(32), randomblob(32), 0, 2)
            """)
        #expect(registry.all() == [device])
        let second = try added(to: registry)
        #expect(registry.all().map(\.id).sorted() == [device.id, second.id].sorted())
    }

    @Test("whose fields a device's pushes have is kept, and known for each of its tokens") func payload() throws {
        let registry = try registry()
        let device = try registry.add(
            bundleID: "com.example.phone", appGroup: nil, environment: .production, callPayload: .twilio, at: now)
        #expect(try self.registry().all() == [device] && device.callPayload == .twilio)
        #expect(device.registrations.map(\.callPayload) == [.twilio, .twilio])
        try write("UPDATE devices SET payload = 'a later one', revision = 2")
        #expect(registry.device(device.id)?.callPayload == nil)
    }

    @Test("a file of a version that knew no payloads is read, and takes them from then on") func olderFile() throws {
        _ = try Directory.open(path: folder.path + "/devices", makes: true)
        try write(
            """
            CREATE TABLE devices (
                id TEXT PRIMARY KEY, bundle TEXT NOT NULL, app_group TEXT, environment TEXT NOT NULL,
                alert BLOB NOT NULL UNIQUE, voip BLOB NOT NULL UNIQUE, added INTEGER NOT NULL, removed INTEGER,
                offline INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL UNIQUE, CHECK (alert <> voip)
            );
            INSERT INTO devices (id, bundle, environment, alert, voip, added, revision)
            VALUES ('00000000-0000-4000-8000-000000000000', 'a.b', 'production', randomblob(32), randomblob(32), 0, 1)
            """)
        let registry = try registry()
        #expect(!registry.wasSetAside && registry.all().map(\.callPayload) == [nil])
        let device = try registry.add(
            bundleID: "a.b", appGroup: nil, environment: .production, callPayload: .stream, at: now)
        #expect(try self.registry().device(device.id)?.callPayload == .stream)
    }

    @Test("a hundred thousand devices, and no more")
    func most() throws {
        let (registry, other) = (try registry(), try registry())
        try write(
            """
            WITH RECURSIVE numbers(number) AS
                (SELECT 1 UNION ALL SELECT number + 1 FROM numbers LIMIT \(TokenRegistry.devicesMax - 1))
            INSERT INTO devices (id, bundle, environment, alert, voip, added, revision)
            SELECT printf('%08x-0000-4000-8000-000000000000', number), 'com.example.phone', 'production',
                randomblob(32), randomblob(32), 0, number FROM numbers
            """)
        _ = try added(to: registry)
        for full in [registry, other] {
            #expect(throws: RegistryError("there are 100000 devices already")) { try added(to: full) }
        }
        #expect(registry.all().count == 100_000)
    }

    @Test("a change of another process wakes who watches")
    func watch() throws {
        let loop = try Loop()
        let (watched, writer) = (try registry(), try registry())
        var seen: [String] = []
        watched.onChange = { seen.append($0.id) }
        let watch = try watched.watch(on: loop) {
            watched.look()
            loop.stop()
        }
        let device = try added(to: writer)
        loop.run()
        #expect(seen == [device.id])
        #expect(try pipes().count == 1)
        watch.cancel()
        #expect(try pipes() == [])
    }

    private func pipes() throws -> [String] {
        try Directory.open(path: folder.path + "/devices", makes: false).names(max: 100).filter {
            $0.hasSuffix(".pipe")
        }
    }

    @Test("the pipe of a process that watched and was killed is removed by who watches or changes something next")
    func deadWatcher() throws {
        let registry = try registry()
        func leave() throws {
            let directory = try Directory.open(path: folder.path + "/devices", makes: false)
            _ = try directory.makePipe("1.pipe", aside: "1.new")
            #expect(try pipes() == ["1.pipe"])
        }
        try leave()
        let device = try added(to: registry)
        #expect(try pipes() == [])
        try leave()
        let watch = try registry.watch(on: Loop()) {}
        #expect(try pipes().count == 1 && pipes() != ["1.pipe"])
        watch.cancel()
        #expect(try registry.setOffline(true, device.id))
    }

    @Test("S2: a state directory that others may write to is refused")
    func foreign() throws {
        folder.makeFolder("devices")
        #expect(unsafe chmod("\(folder.path)/devices", 0o777) == 0)
        #expect(throws: RegistryError.self) { _ = try registry() }
    }
}
