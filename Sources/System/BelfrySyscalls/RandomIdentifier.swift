import CBelfryLinux
import Glibc

/// A new random UUID (version 4) in lower case, from getrandom(2).
public func randomUUID() -> String {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe getrandom($0.baseAddress, $0.count, 0) }
    // Up to 256 bytes come whole and uninterrupted once the machine has its entropy (getrandom(2)).
    precondition(count == 16, "getrandom: errno \(errno)")
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    var text = ""
    for (index, byte) in bytes.enumerated() {
        if [4, 6, 8, 10].contains(index) { text += "-" }
        text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    return text
}
