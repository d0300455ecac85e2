extension String {
    /// The beginning of a foreign string, fit to stand in a message for people: control characters, line separators
    /// and what turns the direction of writing are escaped as `\u{…}`, and what is cut off is marked by `…`.
    package func excerpt(charactersMax: Int = 64) -> String {
        var excerpt = ""
        var count = 0
        for scalar in unicodeScalars {
            guard count < charactersMax else { return excerpt + "…" }
            count += 1
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                excerpt += "\\u{\(String(scalar.value, radix: 16))}"
            default: excerpt.unicodeScalars.append(scalar)
            }
        }
        return excerpt
    }
}
