/// Why a line says nothing that can be read.
package struct SaidLineError: Error, Hashable, Sendable {
    /// What was found and what was expected, for people.
    package let detail: String
}

/// One line of a channel between processes of ours: an object that says something, by its field `say`.
package enum SaidLine {
    /// The message in `line`, by `read`, which gets its word and its fields; nil for one that a later version has
    /// added.
    package static func read<Message>(
        _ line: [UInt8], limits: JSONLimits = .aroundForeignValue,
        _ read: (String, JSONFields) throws(JSONFieldError) -> Message?
    ) throws(SaidLineError) -> Message? {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(line, limits: limits)
        } catch {
            throw SaidLineError(detail: "\(error)")
        }
        guard case .object(let object) = value, case .string(let word)? = object["say"] else {
            throw SaidLineError(detail: "found \(value.foundDescription), expected an object that says something")
        }
        do throws(JSONFieldError) {
            return try read(word, JSONFields(object))
        } catch {
            throw SaidLineError(detail: "\(error)")
        }
    }

    /// The line of a message, newline included: its word, and its fields after it.
    package static func written(_ word: String, _ fields: JSONObject) -> [UInt8] {
        var object: JSONObject = ["say": .string(word)]
        for member in fields.members { object[member.key] = member.value }
        return object.serialized() + [UInt8(ascii: "\n")]
    }
}
