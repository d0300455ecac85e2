import BelfryJSON
import Testing

/// An object that is read field by field.
@Suite struct JSONFieldsTests {
    private let fields = JSONFields(
        [
            "text": "a", "flag": true, "count": 7, "real": 1.5, "null": .null, "list": ["a", "b"], "mixed": ["a", 1],
            "inner": ["text": 1], "each": [["text": 1], 2], "big": .unsigned(.max),
        ], prefix: "outer.")

    @Test("what is there is read, as what it is") func there() throws {
        #expect(try fields.string("text") == "a" && fields.bool("flag") && fields.integer("count") == 7)
        #expect(try fields.number("count") == 7 && fields.number("real") == 1.5)
        #expect(try fields.strings("list") == ["a", "b"] && fields.array("mixed").count == 2)
        #expect(try fields.object("inner") == ["text": 1])
        #expect(try fields.integer("count", in: 7...7) == 7)
        #expect(try fields.bounded("real", in: 0...9) == 1 && fields.bounded("big", in: 0...9) == 9)
        #expect(try fields.word("text") { Character($0) } == "a")
    }

    @Test("a field that is null is there, and has no value; what is missing is neither") func absent() throws {
        #expect(["text", "null", "none"].map(fields.has) == [true, false, false])
        #expect(["text", "null", "none"].map(fields.mentions) == [true, true, false])
        #expect(try fields.ifPresent("text", fields.string) == "a")
        #expect(try fields.ifPresent("null", fields.string) == nil && fields.ifPresent("none", fields.string) == nil)
        #expect(throws: JSONFieldError.self) { try fields.ifPresent("flag", fields.string) }
    }

    @Test("an error names the field, what was found and what was expected") func errors() {
        func error(_ read: () throws(JSONFieldError) -> Void) -> String? {
            do throws(JSONFieldError) { try read() } catch { return "\(error)" }
            return nil
        }
        let found: [String?] = [
            error { () throws(JSONFieldError) in _ = try fields.string("none") },
            error { () throws(JSONFieldError) in _ = try fields.bool("count") },
            error { () throws(JSONFieldError) in _ = try fields.integer("real") },
            error { () throws(JSONFieldError) in _ = try fields.integer("count", in: 8...9) },
            error { () throws(JSONFieldError) in _ = try fields.bounded("flag", in: 8...9) },
            error { () throws(JSONFieldError) in _ = try fields.number("text") },
            error { () throws(JSONFieldError) in _ = try fields.strings("mixed") },
            error { () throws(JSONFieldError) in _ = try fields.word("text") { Int($0) } },
            error { () throws(JSONFieldError) in _ = try fields.fields("inner").string("text") },
            error { () throws(JSONFieldError) in _ = try fields.fieldsOfEach("each") },
        ]
        #expect(
            found == [
                "outer.none: found null, expected a string", "outer.count: found the number 7, expected true or false",
                "outer.real: found the number 1.5, expected an integer",
                "outer.count: found the number 7, expected 8 to 9",
                "outer.flag: found true, expected a number", "outer.text: found the string \"a\", expected a number",
                "outer.mixed: found an array, expected an array of strings",
                "outer.text: found the string \"a\", expected a word of this version",
                "outer.inner.text: found the number 1, expected a string",
                "outer.each[1]: found the number 2, expected an object",
            ])
    }

    @Test("only an object within its limits has fields") func lines() {
        #expect(JSONFields(line: Array("{}".utf8)) != nil)
        #expect(JSONFields(line: Array("[]".utf8)) == nil && JSONFields(line: Array("{".utf8)) == nil)
        #expect(JSONFields(line: Array("{ }".utf8), limits: JSONLimits(bytesMax: 2)) == nil)
    }
}
