import BelfryAppGroup
import BelfryDevices
import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry

/// The voip tokens of apps: each has that of its newest device in the registry, which is made if there is none.
final class AppTokens {
    /// A token that an app was given.
    struct Given: Hashable {
        let device: String
        let group: GroupName?
        let bytes: [UInt8]
    }

    private let state: StateDirectory
    private let loop: Loop
    /// Where a device is made that states no environment.
    private let standard: APNsEnvironment
    private let changed: (_ app: String, Given?) -> Void
    private var registry: TokenRegistry?
    private var watch: RegistryWatch?
    private var given: [String: Given] = [:]
    private var environments: [String: APNsEnvironment] = [:]

    /// Tokens of the registry below `state`. `changed` is called for each app whose device was removed, with another
    /// token, or nil if there can be none.
    init(
        state: StateDirectory, standard: APNsEnvironment, on loop: Loop,
        changed: @escaping (_ app: String, Given?) -> Void
    ) {
        (self.state, self.standard, self.loop, self.changed) = (state, standard, loop, changed)
    }

    /// The group that the notifications of `app` go to; nil if that is the configured one, or it has no token.
    func group(of app: String) -> GroupName? { given[app]?.group }

    /// Registers `app`, whose `Info.plist` states `environment`: the token it has.
    func register(_ app: String, environment: String?) throws(RegistryError) -> Given {
        environments[app] = environment.flatMap { APNsEnvironment(word: $0) } ?? standard
        let registry = try open()
        // Of a removal that was not seen yet, so that it is told apart.
        given[app] = nil
        registry.look()
        let found = try token(of: app, in: registry)
        given[app] = found
        return found
    }

    /// The app is gone, or wants no pushes.
    func forget(_ app: String) { given[app] = nil }

    private func token(of app: String, in registry: TokenRegistry) throws(RegistryError) -> Given {
        let newest = registry.all().last { $0.bundleID == app && $0.removedAt == nil && $0.machine == nil }
        let now = WallTime(microseconds: wallTimeMicroseconds())
        let device =
            if let newest { newest } else {
                try registry.add(
                    bundleID: app, appGroup: nil, environment: environments[app] ?? standard, at: now)
            }
        return Given(device: device.id, group: device.appGroup, bytes: device.voipToken.bytes)
    }

    private func open() throws(RegistryError) -> TokenRegistry {
        if let registry { return registry }
        let registry = try TokenRegistry(state: state)
        self.registry = registry
        // Without a watch a removal is seen with the next registration.
        watch = try? registry.watch(on: loop) { [unowned self] in look() }
        return registry
    }

    private func look() {
        guard let registry else { return }
        registry.look()
        for (app, token) in given where registry.device(token.device)?.removedAt != nil {
            given[app] = nil
            let next = try? self.token(of: app, in: registry)
            given[app] = next
            changed(app, next)
        }
    }
}
