import BootTime
import PushPayload

extension Envelope {
    /// When the push is past: 0 is "try once", which is not past (R9).
    var expirationThatCounts: WallTime? {
        guard let expiration, expiration.microseconds != 0 else { return nil }
        return expiration
    }
}
