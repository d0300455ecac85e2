import BelfryEventLoop
import BelfryJSON
import BelfryProtocol
import BelfryPush
import BelfryTerms
import CallChannel
import CallControl

/// The rings that no push brought: each is pushed into the push socket, as by any client, until its worker has come.
final class OwnRings {
    /// How long the push socket is tried again while it is full.
    private static let patience = TimeSpan.seconds(5)
    /// How much is said of a caller at most, in bytes of each text: a payload has 5,120.
    static let textBytesMax = 256

    private let socketPath: String
    private let loop: Loop
    private let failed: (_ id: String) -> Void
    private var connections: [String: PushConnection] = [:]

    /// Rings by the push socket at `socketPath`. `failed` is called, once, for each whose worker never comes.
    init(socketPath: String, on loop: Loop, failed: @escaping (_ id: String) -> Void) {
        (self.socketPath, self.loop, self.failed) = (socketPath, loop, failed)
    }

    /// Whether one waits for its worker.
    var isEmpty: Bool { connections.isEmpty }

    /// Pushes `ring` to `group`, nil being the configured one.
    func push(_ ring: OwnRing, group: GroupName?) {
        let id = ring.id
        do throws(PushError) {
            connections[id] = try PushConnection(
                to: PushSocket(path: socketPath), sending: Self.notification(ring, group), on: loop,
                patience: Self.patience, onLine: { _ in }
            ) { [weak self] _ in self?.lose(id) }
        } catch {
            loop.afterThis(description: "own ring") { [failed] in failed(id) }
        }
    }

    /// The worker of the ring `id` has come: what becomes of it is heard from there.
    func arrived(_ id: String) { connections.removeValue(forKey: id)?.cancel() }

    private func lose(_ id: String) {
        guard connections.removeValue(forKey: id) != nil else { return }
        failed(id)
    }

    static func notification(_ ring: OwnRing, _ group: GroupName?) -> [UInt8] {
        var payload: JSONObject = ["callId": .string(ring.call)]
        if let name = ring.caller.name { payload["callerName"] = .string(cut(name)) }
        if let handle = ring.caller.handle { payload["handle"] = .string(cut(handle)) }
        if let hasVideo = ring.caller.hasVideo { payload["hasVideo"] = .bool(hasVideo) }
        if let left = ring.left { payload["duration"] = .integer(max(1, left.wholeSeconds)) }
        let envelope = Envelope(
            id: ring.id, pushType: .voip, topic: "\(ring.app).voip", appGroup: group?.text, callPayload: .belfry)
        return envelope.enclosing(payloadBytes: payload.serialized())
    }

    /// As much of `text` as a payload takes, in whole characters.
    private static func cut(_ text: String) -> String {
        guard text.utf8.count > textBytesMax else { return text }
        var cut = ""
        var count = 0
        for character in text {
            count += character.utf8.count
            guard count <= textBytesMax else { break }
            cut.append(character)
        }
        return cut
    }
}
