// What servers and files say of devices. A trap is a finding, and so is what is read and cannot be written as it was.
import BelfryDevices
import Forwarding

func feedDevices(_ bytes: [UInt8]) {
    if let token = DeviceToken(bytes: bytes) {
        precondition(token.bytes == bytes && DeviceToken(hex: token.hex) == token, "a token changes")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if let token = DeviceToken(hex: text) { precondition(token.hex == text.lowercased(), "a token's digits change") }
    if let digest = PushDigest(bytes: bytes) { precondition(digest.bytes == bytes, "a digest changes") }
}
