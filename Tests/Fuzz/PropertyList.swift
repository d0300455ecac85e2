// The readers of property lists, binary and XML. A trap is a finding, and so is a value that cannot be written and read
// again, or one beyond the limits.
import BelfryPropertyList

func feedPropertyList(_ bytes: [UInt8]) {
    guard let root = try? PropertyListDictionary.parse(bytes) else { return }
    var size = Size()
    size.add(.dictionary(root), depth: 1)
    precondition(size.valueCount <= PropertyListLimits.valuesMax, "too many values pass")
    precondition(size.depth <= PropertyListLimits.depthMax, "a value passes too deep")
    let text = root.serializedXML()
    guard let again = try? PropertyListDictionary.parse(text) else {
        preconditionFailure("what was read cannot be read again as XML")
    }
    precondition(again.serializedXML() == text, "what was written changes as it is read again")
}

/// How much a value holds.
private struct Size {
    var valueCount = 0
    var depth = 0

    mutating func add(_ value: PropertyListValue, depth: Int) {
        valueCount += 1
        switch value {
        case .array(let elements):
            self.depth = max(self.depth, depth)
            for element in elements { add(element, depth: depth + 1) }
        case .dictionary(let dictionary):
            self.depth = max(self.depth, depth)
            for member in dictionary.members { add(member.value, depth: depth + 1) }
        case .bool, .integer, .unsigned, .real, .string, .date, .data, .uid: break
        }
    }
}
