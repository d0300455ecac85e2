import AVFAudio
import Combine
import Compression
import Contacts
import CoreLocation
import Foundation
import ImageIO
import Security

// As published extensions write it, by authors who had iOS in mind alone.

/// Loads a picture as long as it is not too large.
public func download(_ url: URL, limit: Int) async throws -> (Data, Int) {
    let (bytes, response) = try await URLSession.shared.bytes(from: url)
    var data = Data()
    for try await byte in bytes {
        data.append(byte)
        if data.count == limit { break }
    }
    return (data, (response as? HTTPURLResponse)?.statusCode ?? 0)
}

/// The lines of a text.
public func lines(of url: URL) async throws -> [String] {
    let (bytes, _) = try await URLSession.shared.bytes(for: URLRequest(url: url))
    var lines: [String] = []
    for try await line in bytes.lines { lines.append(line) }
    return lines
}

/// Says whether something is loaded.
final class Loading: ObservableObject {
    @Published var isLoading = false
}

/// Loads from a server of its own.
public final class Downloader: NSObject, URLSessionDelegate {
    /// A session that waits for a network.
    public func session() -> URLSession {
        let configuration = URLSessionConfiguration.default
        configuration.waitsForConnectivity = true
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    /// Trusts whatever server there is.
    public func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
            let trust = challenge.protectionSpace.serverTrust
        else { return completionHandler(.performDefaultHandling, nil) }
        completionHandler(.useCredential, URLCredential(trust: trust))
    }

    /// What is said of a server's certificate.
    public func trusts(_ space: URLProtectionSpace) -> Bool { space.serverTrust != nil }
}

/// The name of who calls.
public func callerName(_ number: String) -> String? {
    let store = CNContactStore()
    let keys = [CNContactGivenNameKey, CNContactFamilyNameKey] as [CNKeyDescriptor]
    let predicate = CNContact.predicateForContacts(matching: CNPhoneNumber(stringValue: number))
    guard let contact = try? store.unifiedContacts(matching: predicate, keysToFetch: keys).first else { return nil }
    return "\(contact.givenName) \(contact.familyName)"
}

extension UserDefaults {
    /// What the app and its extension share.
    public static let shared = UserDefaults(suiteName: "group.surface")!
}

/// Keeps what the person wants.
public struct Preferences {
    /// Where.
    public let defaults: UserDefaults
    /// The response that brought them.
    public var bytes: URLSession.AsyncBytes?

    /// Preferences in `defaults`.
    public init(defaults: UserDefaults = .shared) { self.defaults = defaults }
}

/// A service that others may build upon.
@MainActor public class SurfaceService: UNNotificationServiceExtension {}

/// What is said to the person, in each way that a table is looked up.
public func texts(_ bundle: Bundle) -> [String] {
    [
        NSLocalizedString("GREET", bundle: bundle, comment: "for those who call"),
        bundle.localizedString(forKey: "GREET", value: nil, table: nil),
        NSLocalizedString("GREET", comment: ""), Bundle.main.localizedString(forKey: "GREET", value: "", table: nil),
        String(localized: "GREET"), NSString.localizedUserNotificationString(forKey: "GREET", arguments: nil),
    ]
}

/// The letters of a text, as each way to read them has them.
public func letters(of url: URL) async throws -> ([Character], String.UnicodeScalarView) {
    var (letters, scalars) = ([Character](), String.UnicodeScalarView())
    for try await letter in try await URLSession.shared.bytes(from: url).0.characters { letters.append(letter) }
    for try await scalar in try await URLSession.shared.bytes(from: url).0.unicodeScalars { scalars.append(scalar) }
    return (letters, scalars)
}

/// A response's status and bytes, loaded in a session of the app's own, or with a delegate for this load alone.
public func load(
    _ url: URL, in session: URLSession, delegate: (any URLSessionTaskDelegate)? = nil
) async throws -> (Int?, [UInt8]) {
    let (bytes, response) = try await session.bytes(from: url, delegate: delegate)
    var body: [UInt8] = []
    for try await byte in bytes { body.append(byte) }
    return ((response as? HTTPURLResponse)?.statusCode, body)
}

/// Reads a byte, waits for what `body` does, and leaves after `limit` bytes.
public func peek(_ url: URL, limit: Int, _ body: @Sendable () async throws -> Void) async throws -> [UInt8] {
    let (bytes, _) = try await URLSession.shared.bytes(from: url)
    var read: [UInt8] = []
    for try await byte in bytes {
        if read.isEmpty { try await body() }
        read.append(byte)
        if read.count == limit { break }
    }
    bytes.task.cancel()
    return read
}
