import BelfryAppDoor
import BelfryAppleGround
import BelfryTerms
import CallChannel
import Foundation

/// What the registries of an app have in common: it asks `belfry-calls`, and passes on what that says.
final class PushSystem: AppListener, @unchecked Sendable {
    let door: AppDoor
    private let lock = NSLock()
    // Guarded by the lock, which is never held while code of others runs.
    private var desks: [RegistryDesk] = []
    private var token: Data?

    init(_ door: AppDoor) { self.door = door }

    /// A registry wants these kinds of pushes from now on.
    func desire(_ types: Set<PKPushType>?, _ desk: RegistryDesk) {
        let before = desk.desired ?? []
        desk.desired = types
        let types = types ?? []
        for other in types.subtracting([.voIP]).map(\.rawValue).sorted() {
            door.warn(.unsupported, "\(other): only voip pushes come here")
        }
        let token = lock.withLock {
            if !desks.contains(where: { $0 === desk }) { desks.append(desk) }
            return self.token
        }
        declare()
        switch (before.contains(.voIP), types.contains(.voIP)) {
        case (false, true): if let token { desk.update(token) }
        case (true, false): desk.invalidate()
        case (true, true), (false, false): break
        }
    }

    /// A registry is gone.
    func leave(_ desk: RegistryDesk) {
        let wasThere = lock.withLock {
            defer { desks.removeAll { $0 === desk } }
            return desks.contains { $0 === desk }
        }
        guard wasThere, desk.desired?.contains(.voIP) == true else { return }
        if !desksForCalls.isEmpty { return }
        door.warn(
            .registryLost,
            "the PKPushRegistry is gone, which nothing keeps alive: no pushes reach the app, on iOS either. Keep it in "
                + "a property")
        declare()
    }

    /// The token for that kind of pushes.
    func token(for type: PKPushType, _ desk: RegistryDesk) -> Data? {
        type == .voIP && desk.desired?.contains(.voIP) == true ? lock.withLock { token } : nil
    }

    private var desksForCalls: [RegistryDesk] {
        lock.withLock { desks }.filter { $0.desired?.contains(.voIP) == true }
    }

    private func declare() {
        let types = lock.withLock { desks }.reduce(into: Set<PKPushType>()) { $0.formUnion($1.desired ?? []) }
        // `voip` is its name in the payload, too.
        door.declare(registry: types.map { $0 == .voIP ? "voip" : $0.rawValue }.sorted())
    }

    func heard(_ word: AppWord) {
        switch word {
        case .token(let bytes):
            let token = Data(bytes)
            lock.withLock { self.token = token }
            for desk in desksForCalls { desk.update(token) }
        case .tokenInvalid:
            lock.withLock { token = nil }
            for desk in desksForCalls { desk.invalidate() }
        case .push(let number, let payload, let mustReport):
            guard let desk = desksForCalls.last else {
                return door.warn(
                    .registryLost,
                    "push \(number) came, and no PKPushRegistry is there any more: it is lost, on iOS too. Keep the "
                        + "registry in a property")
            }
            desk.receive(ReceivedPush(number: number, json: payload, mustReport: mustReport))
        case .welcome, .refused, .reported, .requested, .perform, .timedOut, .audio, .reset, .calls, .directory, .stop:
            break
        }
    }

    func lost(wasWelcome: Bool) {}

    func left() {
        lock.withLock {
            token = nil
            desks.removeAll { $0.registry == nil || $0.delegate == nil }
        }
    }
}

/// A push for a registry.
struct ReceivedPush: Sendable {
    /// Its number, with which its report and its return are told.
    let number: Int64
    /// Its payload.
    let json: String
    /// Whether a call has to be reported at once.
    let mustReport: Bool

    /// The payload in the types of `JSONSerialization`; empty if it is no object.
    var dictionary: [AnyHashable: Any] {
        (try? JSONSerialization.jsonObject(with: Data(json.utf8))) as? [String: Any] ?? [:]
    }
}
