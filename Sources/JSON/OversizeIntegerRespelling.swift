/// A copy of JSON text in which integers beyond 64 bits are spelled so that jansson reads them.
struct OversizeIntegerRespelling {
    /// The text as it came.
    let original: [UInt8]
    /// The text to read instead.
    private(set) var text: [UInt8] = []
    private var insertions: [(position: Int, count: Int)] = []

    /// Whether any integer had to be respelled.
    var changes: Bool { !insertions.isEmpty }

    /// Looks at every number outside strings; text that is not JSON comes out as it went in, or nearly so.
    init(of original: [UInt8], as spelling: JSONValue.OversizeIntegers) {
        self.original = original
        text.reserveCapacity(original.count + 64)
        var index = 0
        var isInString = false
        while index < original.count {
            let byte = original[index]
            if isInString {
                text.append(byte)
                index += 1
                if byte == UInt8(ascii: "\\"), index < original.count {
                    text.append(original[index])
                    index += 1
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            guard Self.isOfNumber(byte) else {
                isInString = byte == UInt8(ascii: "\"")
                text.append(byte)
                index += 1
                continue
            }
            let end = original[index...].firstIndex { !Self.isOfNumber($0) } ?? original.count
            appendNumber(original[index..<end], as: spelling)
            index = end
        }
    }

    /// Where `position` of the new text lies in the original.
    func position(inOriginal position: Int) -> Int {
        var shift = 0
        for insertion in insertions where insertion.position < position { shift += insertion.count }
        return min(max(position - shift, 0), original.count)
    }

    private mutating func appendNumber(_ literal: ArraySlice<UInt8>, as spelling: JSONValue.OversizeIntegers) {
        let digits = literal.first == UInt8(ascii: "-") ? literal.dropFirst() : literal
        let isInteger = !digits.isEmpty && digits.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
        // A leading zero is an error of syntax that must stay one, also where a string would hide it.
        let isWellFormed = isInteger && (digits.count == 1 || digits.first != UInt8(ascii: "0"))
        guard isWellFormed, Int64(String(decoding: literal, as: UTF8.self)) == nil else {
            text.append(contentsOf: literal)
            return
        }
        switch spelling {
        case .asReals:
            text.append(contentsOf: literal)
            insert(".0")
        case .asDigits:
            insert("\"")
            text.append(contentsOf: literal)
            insert("\"")
        }
    }

    private mutating func insert(_ addition: StaticString) {
        insertions.append((position: text.count, count: addition.utf8CodeUnitCount))
        text.append(contentsOf: addition.description.utf8)
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
