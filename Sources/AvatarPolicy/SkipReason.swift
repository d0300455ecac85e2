/// Why a call is delivered without its picture: the closed list of `attachment.reason`.
public enum SkipReason: String, Error, Hashable, Sendable, CaseIterable {
    // What is wrong with the URL itself.

    /// It is no URL that a picture can be fetched from.
    case badURL = "bad-url"
    /// Its scheme is neither http nor https, in the payload or after a redirect.
    case badScheme = "bad-scheme"
    /// It carries a user name or password.
    case credentialsInURL = "credentials-in-url"

    // What the operator does not allow.

    /// Pictures are turned off (`[Avatar] Timeout=0`).
    case off
    /// `[Avatar] From=` does not name its host.
    case hostNotAllowed = "host-not-allowed"
    /// Its address is not global unicast, and `[Avatar] Allow=` does not name it.
    case addressRefused = "address-refused"
    /// Its port is neither 80 nor 443, and `[Avatar] Allow=` does not name it.
    case portRefused = "port-refused"

    // What went wrong on the way.

    /// The host name has no address, or nobody to ask for it.
    case resolveFailed = "resolve-failed"
    /// Nobody answered at that address and port.
    case connectFailed = "connect-failed"
    /// The certificate or the TLS handshake is not in order.
    case tlsFailed = "tls-failed"
    /// More redirects than ``FetchLimits/redirectsMax``.
    case tooManyRedirects = "too-many-redirects"
    /// The server answered with another status than 200.
    case httpStatus = "http-status"
    /// The connection broke, or what came over it was not HTTP.
    case transferFailed = "transfer-failed"
    /// It did not come in time.
    case timeout

    // What is wrong with the picture.

    /// It has more bytes than `[Avatar] MaxBytes=`.
    case tooLarge = "too-large"
    /// It is no PNG, JPEG, GIF or WebP.
    case notAnImage = "not-an-image"
    /// It is wider, higher or larger than ``FetchLimits`` allows.
    case tooManyPixels = "too-many-pixels"
    /// It is damaged or cut short, or this machine has no decoder for it.
    case decodeFailed = "decode-failed"

    // What went wrong here.

    /// The picture could not be written: no space, or state that is not writable.
    case writeFailed = "write-failed"
    /// The fetcher ended without an answer.
    case fetcherCrashed = "fetcher-crashed"
    /// The fetcher is not installed, or could not be started.
    case fetcherMissing = "fetcher-missing"
    /// The ring was over before the picture came, or there was none.
    case ended
}

/// A reason to go without a picture, with words for the operator.
public struct Skip: Error, Hashable, Sendable {
    /// Which reason.
    public let reason: SkipReason
    /// What happened and, where there is something to do, what to do. Holds nothing of a URL but its host, and no
    /// control characters.
    public let detail: String

    /// A reason and its words.
    public init(_ reason: SkipReason, _ detail: String) {
        self.reason = reason
        self.detail = detail
    }
}
