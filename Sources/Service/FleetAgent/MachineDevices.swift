import BelfryDevices
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Fleet

/// This machine's devices: what a command wants of them is written down by a gateway first, and then in the machine's
/// own registry. Once in each life both are made the same; where the machine's name is shared, the fleet has others'
/// devices under it, and only what is missing there is added.
final class MachineDevices {
    /// How long until the two are compared again where that failed.
    private static let again = TimeSpan.seconds(60)

    private let registry: TokenRegistry
    private let isShared: Bool
    private let asking: DeviceAsking
    private let loop: Loop
    private let tell: (String) -> Void
    /// Whether both are the same, or are being made so.
    private var isCompared = false
    /// What the fleet has of this machine, as far as it was listed.
    private var listed: [NamedDevice] = []
    /// The names of those that the fleet has, or has refused; nil until it was asked.
    private var known: Set<String>?
    private var watch: RegistryWatch?

    init(
        registry: TokenRegistry, isShared: Bool, asking: DeviceAsking, on loop: Loop, tell: @escaping (String) -> Void
    ) {
        self.registry = registry
        self.isShared = isShared
        self.asking = asking
        self.loop = loop
        self.tell = tell
        // Others may add devices, as belfry-calls does for its apps. Without a watch they are seen at the next start.
        watch = try? registry.watch(on: loop) { [weak self] in self?.announceNew() }
    }

    func lineIsUp() { asking.lineIsUp() }

    /// A gateway has answered the question of that number; false if it is not one of devices.
    func heard(_ number: UInt64, _ bytes: [UInt8]) -> Bool { asking.heard(number, bytes) }

    /// What a command asks for.
    func perform(_ question: DeviceQuestion, _ answer: @escaping (DeviceAnswer) -> Void) {
        var question = question
        switch question {
        case .announce, .list: return answer(.refused(.malformed, detail: "this is for agents to ask"))
        case .remove(let id), .online(let id), .offline(let id):
            guard !isShared || registry.device(id) != nil else {
                return answer(.refused(.unknownDevice, detail: "it is not this one of those under the shared name"))
            }
        case .add(var addition):
            addition.isShared = isShared
            question = .add(addition)
        }
        asking.ask(question) { [weak self, question] in
            guard let self else { return }
            answer(written($0, of: question))
        }
    }

    /// Writes down here what a gateway has written down; answers as it did, unless that fails.
    private func written(_ answer: DeviceAnswer, of question: DeviceQuestion) -> DeviceAnswer {
        do throws(RegistryError) {
            switch (question, answer) {
            case (.add, .devices(let devices, _)):
                for device in devices {
                    known?.insert(device.id)
                    try put(device)
                }
            case (.remove(let id), .done): _ = try registry.remove(id, at: wallNow)
            case (.online(let id), .done): _ = try registry.setOffline(false, id)
            case (.offline(let id), .done): _ = try registry.setOffline(true, id)
            default: break
            }
            return answer
        } catch {
            // The fleet has it: the next comparison tries again.
            compareLater()
            return .refused(.unavailable, detail: "\(error)")
        }
    }

    private func put(_ device: NamedDevice) throws(RegistryError) {
        let entry = device.entry
        guard registry.device(device.id) == nil else { return }
        _ = try registry.add([
            VirtualDevice(
                id: device.id, bundleID: entry.bundleID, appGroup: entry.appGroup, environment: entry.environment,
                callPayload: entry.callPayload, alertToken: entry.alertToken, voipToken: entry.voipToken,
                addedAt: entry.addedAt, isOffline: entry.isOffline)
        ])
    }

    /// Which devices live by this agent, as gateways have to know of one whose name is shared.
    var living: [String] { isShared ? own.map(\.id) : [] }

    private var own: [VirtualDevice] { registry.all().filter { $0.machine == nil && $0.removedAt == nil } }

    private var wallNow: WallTime { WallTime(microseconds: wallTimeMicroseconds()) }
}

// Making both the same.
extension MachineDevices {
    /// A gateway answers: the first one is asked what the fleet has.
    func gatewayIsThere() {
        guard !isCompared else { return }
        isCompared = true
        (listed, known) = ([], nil)
        if isShared { compare() } else { list(after: nil) }
    }

    private func compareLater() {
        _ = loop.schedule(at: loop.now + Self.again, description: "devices") { [weak self] in self?.isCompared = false }
    }

    private func list(after id: String?) {
        asking.ask(.list(after: id)) { [weak self] in
            guard let self else { return }
            guard case .devices(let devices, let isAll) = $0 else { return compareLater() }
            listed += devices
            if !isAll, let last = devices.last { list(after: last.id) } else { compare() }
        }
    }

    private func compare() {
        known = Set(listed.map(\.id))
        do throws(RegistryError) {
            for device in listed { try follow(device) }
        } catch {
            tell("devices cannot be written: \(error)")
            return compareLater()
        }
        listed = []
        announceNew()
    }

    /// Announces the devices that the fleet does not have.
    private func announceNew() {
        guard let known else { return }
        let new = own.filter { !known.contains($0.id) }
        self.known?.formUnion(new.map(\.id))
        announce(
            new.compactMap {
                var entry = DeviceEntry($0)
                entry.isShared = isShared
                return NamedDevice($0.id, entry)
            }[...])
    }

    /// The machine's registry has of `device` what the fleet has.
    private func follow(_ device: NamedDevice) throws(RegistryError) {
        let known = registry.device(device.id)
        if let removedAt = device.entry.removedAt {
            _ = try registry.remove(device.id, at: removedAt)
        } else if let known {
            if known.isOffline != device.entry.isOffline {
                _ = try registry.setOffline(device.entry.isOffline, device.id)
            }
        } else {
            // A machine that was set up again under its name gets its devices back.
            try put(device)
        }
    }

    private func announce(_ devices: ArraySlice<NamedDevice>) {
        guard !devices.isEmpty else { return }
        asking.ask(.announce(Array(devices.prefix(NamedDevice.perMessageMax)))) { [weak self] in
            guard let self else { return }
            guard case .done(let exceptions) = $0 else { return compareLater() }
            for exception in exceptions { tell("device \(exception.id) is not taken: \(exception.reason.rawValue)") }
            announce(devices.dropFirst(NamedDevice.perMessageMax))
        }
    }
}

extension DeviceEntry {
    fileprivate init(_ device: VirtualDevice) {
        self.init(
            bundleID: device.bundleID, appGroup: device.appGroup, environment: device.environment,
            callPayload: device.callPayload, alertToken: device.alertToken, voipToken: device.voipToken,
            addedAt: device.addedAt, isOffline: device.isOffline)
    }
}
