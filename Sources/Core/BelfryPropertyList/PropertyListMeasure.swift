extension PropertyListDictionary {
    /// Which limit keeps it from being read again once it is written, in words for people; nil if none does but that of
    /// ``PropertyListLimits/bytesMax``, which its writer sees.
    public var excess: String? {
        var measure = PropertyListMeasure()
        measure.add(.dictionary(self), depth: 0)
        if measure.values > PropertyListLimits.valuesMax { return "more than \(PropertyListLimits.valuesMax) values" }
        return measure.isTooDeep ? "nested more than \(PropertyListLimits.depthMax) deep" : nil
    }
}

/// Counts values as readers do.
private struct PropertyListMeasure {
    var values = 0
    var isTooDeep = false

    mutating func add(_ value: PropertyListValue, depth: Int) {
        values += 1
        // No further than a reader, which is not to be led deeper than it can go.
        guard !isTooDeep, values <= PropertyListLimits.valuesMax else { return }
        switch value {
        case .bool, .integer, .unsigned, .real, .string, .date, .data: break
        // Written as a dictionary with one integer.
        case .uid:
            values += 1
            isTooDeep = depth + 1 > PropertyListLimits.depthMax
        case .array(let elements):
            isTooDeep = depth + 1 > PropertyListLimits.depthMax
            for element in elements { add(element, depth: depth + 1) }
        case .dictionary(let dictionary):
            isTooDeep = depth + 1 > PropertyListLimits.depthMax
            for member in dictionary.members { add(member.value, depth: depth + 1) }
        }
    }
}
