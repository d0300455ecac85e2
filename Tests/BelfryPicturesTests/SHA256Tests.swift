import BelfryPictures
import Testing

/// Against the examples of NIST and what sha256sum says.
@Suite struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func hashesTheExamples(_ text: String, _ hash: String) {
        #expect(SHA256.hexadecimal(Array(text.utf8)) == hash)
    }

    @Test func hashesAMillionLetters() {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(
            SHA256.hexadecimal(bytes) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func padsAtEveryLengthAroundABlock() {
        // The hash of the hashes of 0 to 129 letters, as Python's hashlib has it.
        let all = (0..<130).flatMap { SHA256.hash([UInt8](repeating: UInt8(ascii: "b"), count: $0)) }
        #expect(SHA256.hexadecimal(all) == "b791225630dd390a2e0bd0670cf85198573e32330cec101796567f3b55846a8b")
    }
}
