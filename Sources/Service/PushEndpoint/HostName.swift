import BelfryTerms
import Glibc

/// What can stand among a certificate's names, where a comma would begin another.
enum HostName {
    /// How long a name may be (RFC 1035, 2.3.4).
    private static let bytesMax = 253
    private static let labelBytesMax = 63

    /// Whether `text` can be the name of a host: labels of letters, digits and hyphens.
    static func isName(_ text: String) -> Bool {
        text.utf8.count <= bytesMax
            && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty && label.count <= labelBytesMax
                    && label.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
            }
    }

    /// Whether `text` is an address, of version 4 or 6 (inet_pton(3)).
    static func isAddress(_ text: String) -> Bool {
        var room = in6_addr()
        return unsafe inet_pton(AF_INET, text, &room) == 1 || inet_pton(AF_INET6, text, &room) == 1
    }
}
