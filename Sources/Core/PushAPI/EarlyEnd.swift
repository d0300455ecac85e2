public import BelfryTerms

/// Why a connection ended before its first request.
public enum ConnectionEnd: String, Hashable, Sendable, CaseIterable {
    /// What came is no TLS, such as HTTP without it.
    case noTLS = "no-tls"
    /// It offers protocols, and HTTP/2 is none of them.
    case noHTTP2 = "no-h2"
    /// What it speaks after the handshake is not HTTP/2, or breaks its rules.
    case badHTTP2 = "bad-http2"
    /// Its certificate has expired.
    case certificateExpired = "certificate-expired"
    /// Its certificate is not valid yet.
    case certificateNotYet = "certificate-not-yet"
    /// Its certificate was revoked.
    case certificateRevoked = "certificate-revoked"
    /// Its certificate is for the other environment.
    case badCertificateEnvironment = "BadCertificateEnvironment"
    /// It does not trust the endpoint's certificate.
    case untrusted
    /// The handshake failed in another way.
    case handshake
    /// Nothing came of it for too long.
    case timeout
    /// Its place, or the memory that it took, went to others.
    case crowded
    /// It went by itself.
    case left
}

/// A connection that ended before its first request, for the log.
public struct EarlyEnd: Hashable, Sendable {
    /// A certificate as far as the log tells of it.
    public struct ShownCertificate: Hashable, Sendable {
        /// SHA-256 of its DER, in lower-case hexadecimal.
        public let fingerprint: String
        /// From when on it is valid; nil if it does not say so.
        public let beginsAt: WallTime?
        /// When it expires; nil if it does not say so.
        public let expiresAt: WallTime?

        /// A certificate that was shown.
        public init(fingerprint: String, beginsAt: WallTime?, expiresAt: WallTime?) {
            self.fingerprint = fingerprint
            self.beginsAt = beginsAt
            self.expiresAt = expiresAt
        }
    }

    /// Why.
    public let why: ConnectionEnd
    /// The certificate that its client has shown; nil if it has shown none.
    public let fingerprint: String?
    /// What was wrong, as a sentence for whoever reads the log.
    public let detail: String

    /// An end for `why`, at `now`; `words` say what its own sentence does not.
    public init(
        _ why: ConnectionEnd, certificate: ShownCertificate? = nil, at now: WallTime, words: String? = nil
    ) {
        self.why = why
        fingerprint = certificate?.fingerprint
        let sentence = Self.sentence(why, certificate, now)
        detail = words.map { "\(sentence): \($0)" } ?? sentence
    }

    /// The end of a connection that is sent away for `refusal`, which says all about `fingerprint`, its certificate.
    public init(_ refusal: Refusal, fingerprint: String) {
        why = .badCertificateEnvironment
        self.fingerprint = fingerprint
        detail = refusal.detail
    }

    private static func sentence(_ why: ConnectionEnd, _ certificate: ShownCertificate?, _ now: WallTime) -> String {
        let name = certificate.map { "certificate \($0.fingerprint)" } ?? "its certificate"
        func text(_ span: TimeSpan?) -> String { SecondsText.text(Double(span?.microseconds ?? 0) / 1e6) }
        return switch why {
        case .noTLS: "the client speaks no TLS: is its address http:// where it should be https://"
        case .noHTTP2: "the client offers other protocols than h2, and none of them is served"
        case .badHTTP2: "what the client speaks is not HTTP/2 as it may be"
        case .certificateExpired: "\(name) has expired, \(text(certificate?.expiresAt.map { now - $0 })) ago"
        case .certificateNotYet: "\(name) is not valid yet, in \(text(certificate?.beginsAt.map { $0 - now }))"
        case .certificateRevoked: "\(name) was revoked"
        case .badCertificateEnvironment: "\(name) is for the other environment"
        case .untrusted: "the client does not trust the endpoint's certificate: see belfry apns setup"
        case .handshake: "the handshake failed"
        case .timeout: "nothing came of it for too long"
        case .crowded: "its place, or the memory that it took, went to others"
        case .left: "the client went by itself"
        }
    }
}
