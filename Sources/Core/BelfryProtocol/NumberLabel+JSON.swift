package import BelfryJSON
package import BelfryTerms

// Who has a caller's number, in objects: two fields, of which neither is there without the other.
extension NumberLabel {
    /// The label that `object` has; nil if it has none.
    package init?(in object: JSONObject) {
        guard let text = object["label"]?.stringValue, let source = object["labelFrom"]?.stringValue else { return nil }
        self.init(text, from: source)
    }
}

extension JSONObject {
    /// The object with the fields of `label`; as it is without one.
    package func with(_ label: NumberLabel?) -> JSONObject {
        guard let label else { return self }
        return with("label", .string(label.text)).with("labelFrom", .string(label.source))
    }
}

extension JSONFields {
    /// The label that is said; nil if none is.
    package func label() throws(JSONFieldError) -> NumberLabel? {
        guard let text = try ifPresent("label", string) else { return nil }
        return NumberLabel(text, from: try string("labelFrom"))
    }
}
