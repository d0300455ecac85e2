import BelfryDevices
import BelfryTerms
import Testing

@Suite struct DeviceTests {
    @Test("a token is 32 bytes, written as 64 digits of either case and printed in lower case")
    func tokens() throws {
        let text = "00FFa1" + String(repeating: "0", count: 56) + "7e"
        let token = try #require(DeviceToken(hex: text))
        #expect(token.hex == text.lowercased())
        #expect(token.bytes.prefix(3) == [0, 0xFF, 0xA1] && token.bytes.last == 0x7E && token.bytes.count == 32)
        #expect(DeviceToken(bytes: token.bytes) == token)
        for word in 0..<4 {
            var bytes = token.bytes
            bytes[word * 8 + 3] ^= 1
            #expect(DeviceToken(bytes: bytes) != token)
        }
    }

    @Test(
        "what is no token of ours is none",
        arguments: ["", "00", String(repeating: "0", count: 62), String(repeating: "0", count: 66)]
            + ["g", "/", ":", "@", "`", "G", " "].map { String(repeating: "0", count: 63) + $0 })
    func noToken(_ text: String) {
        #expect(DeviceToken(hex: text) == nil)
    }

    @Test("a token has 32 bytes, neither more nor fewer", arguments: [0, 31, 33])
    func noBytes(_ count: Int) {
        #expect(DeviceToken(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test("no two random tokens are the same")
    func random() {
        #expect(Set((0..<1000).map { _ in DeviceToken.random() }).count == 1000)
    }

    @Test("a call's token is for the topic that ends in .voip, the other for the bundle identifier")
    func topics() {
        func topic(_ kind: TokenKind) -> String {
            Registration(
                token: .random(), deviceID: randomUUID(), kind: kind, bundleID: "com.example.phone", appGroup: nil,
                environment: .production
            ).topic
        }
        #expect(topic(.alert) == "com.example.phone")
        #expect(topic(.voip) == "com.example.phone.voip")
    }

    @Test("the development environment is also called sandbox")
    func environments() {
        #expect(APNsEnvironment(word: "sandbox") == .development)
        #expect(APNsEnvironment(word: "development") == .development)
        #expect(APNsEnvironment(word: "production") == .production)
        #expect(APNsEnvironment(word: "Production") == nil && APNsEnvironment(word: "") == nil)
    }

    @Test("10 comes before 5, and 5 before 1; three kinds of push have a receiver")
    func kinds() {
        #expect(APNsPriority.low < .considerate && APNsPriority.considerate < .immediate)
        #expect(APNsPriority.allCases.map(\.rawValue) == [10, 5, 1])
        #expect(APNsPushType.allCases.filter(\.hasReceiver) == [.alert, .background, .voip])
        #expect(APNsPushType.allCases.count == 11)
    }
}
