import BelfryTerms
import Testing

@Suite("Bytes that are letters and digits") struct ASCIITests {
    @Test("are those of ASCII alone") func all() {
        let text = String(decoding: (0...UInt8.max).filter(\.isASCIILetterOrDigit), as: UTF8.self)
        #expect(text == "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        #expect((0...UInt8.max).filter(\.isASCIIDigit).count == 10)
        #expect((0...UInt8.max).filter(\.isASCIILetter).count == 52)
    }
}
