import BelfryExtensionPackage
import BelfryJSON
import BelfryPropertyList
import Testing

/// String Catalogs as Xcode writes them, as the tables that Foundation reads here.
@Suite struct StringCatalogTests {
    private func unit(_ text: String) -> JSONValue {
        ["stringUnit": ["state": "translated", "value": .string(text)]]
    }

    private func table(_ strings: JSONObject, _ language: String = "de") throws -> [String: String] {
        let catalog: JSONObject = ["sourceLanguage": "en", "strings": .object(strings), "version": "1.0"]
        let table = try StringCatalog(catalog.serialized()).tables[language]
        return (table?.members ?? []).reduce(into: [:]) { $0[$1.key] = $1.value.stringValue }
    }

    @Test("a text is in the table of each language that has it; in its own it is its key, unless it was changed")
    func texts() throws {
        let strings: JSONObject = [
            "Hello %@": ["localizations": ["de": unit("Hallo %@"), "fr": unit("Bonjour %@")]],
            "GREET": ["extractionState": "manual", "localizations": ["en": unit("Welcome")]], "Bye": [:],
            "New": ["localizations": ["de": ["stringUnit": ["state": "new", "value": ""]]]],
        ]
        #expect(try table(strings) == ["Hello %@": "Hallo %@"])
        #expect(try table(strings, "fr") == ["Hello %@": "Bonjour %@"])
        #expect(
            try table(strings, "en") == ["Hello %@": "Hello %@", "GREET": "Welcome", "Bye": "Bye", "New": "New"])
    }

    @Test("of what varies the form for other numbers, and for the iPhone, is there") func variations() throws {
        let plural: JSONValue = [
            "variations": ["plural": ["one": unit("eine Nachricht"), "other": unit("%lld Nachrichten")]]
        ]
        let count: JSONValue = [
            "argNum": 1, "formatSpecifier": "lld",
            "variations": ["plural": ["one": unit("%arg Ruf"), "other": unit("%arg Rufe")]],
        ]
        let strings: JSONObject = [
            "%lld messages": ["localizations": ["de": plural]],
            "Tap": ["localizations": ["de": ["variations": ["device": ["iphone": unit("Tippe"), "mac": unit("K")]]]]],
            "Click": ["localizations": ["de": ["variations": ["device": ["other": unit("Klicke")]]]]],
            "calls": [
                "localizations": [
                    "de": [
                        "stringUnit": ["state": "translated", "value": "%#@count@ von %2$@"],
                        "substitutions": ["count": count],
                    ]
                ]
            ],
        ]
        #expect(
            try table(strings) == [
                "%lld messages": "%lld Nachrichten", "Tap": "Tippe", "Click": "Klicke",
                "calls": "%1$lld Rufe von %2$@",
            ])
    }

    @Test("a catalogue has limits: its size, its values, its languages") func limits() {
        let strings = { (languages: Int) in
            let unit = #"{"stringUnit":{"value":"x"}}"#
            return (0..<languages).map { #""l\#($0)":\#(unit)"# }.joined(separator: ",")
        }
        func catalog(_ localizations: String, padding: Int = 0) -> [UInt8] {
            let text = #"{"sourceLanguage":"en","strings":{"a":{"localizations":{\#(localizations)}}}}"#
            return Array(text.utf8) + [UInt8](repeating: UInt8(ascii: " "), count: padding)
        }
        // English is one more.
        #expect((try? StringCatalog(catalog(strings(199)))) != nil)
        #expect(throws: StringCatalogError.self) { try StringCatalog(catalog(strings(200))) }
        #expect((try? StringCatalog(catalog("", padding: StringCatalog.bytesMax - 60))) != nil)
        #expect(throws: StringCatalogError.self) { try StringCatalog(catalog("", padding: StringCatalog.bytesMax)) }
        let many = String(repeating: "1,", count: StringCatalog.valuesMax) + "1"
        #expect(throws: StringCatalogError.self) {
            try StringCatalog(Array(#"{"sourceLanguage":"en","strings":{},"x":[\#(many)]}"#.utf8))
        }
    }

    @Test(
        "what is no catalogue is refused, and no language leads out of the bundle",
        arguments: [
            "", "[]", "{}", #"{"sourceLanguage":"en"}"#, #"{"sourceLanguage":"../en","strings":{}}"#,
            #"{"sourceLanguage":"","strings":{}}"#,
            #"{"sourceLanguage":"en","strings":{"a":{"localizations":{"a/b":{"stringUnit":{"value":"x"}}}}}}"#,
        ])
    func refused(text: String) {
        #expect(throws: StringCatalogError.self) { try StringCatalog(Array(text.utf8)) }
    }
}
