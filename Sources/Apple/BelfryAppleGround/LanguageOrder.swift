/// In which order the languages of a bundle are asked for a text.
package enum LanguageOrder {
    /// The languages that the person prefers, the best first, as tags such as `pt-BR`: of `LANGUAGE`, a list, and of
    /// the locale, which is the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty. In the locale `C` there
    /// is none. Source: the manual of gettext, "Locale Environment Variables" and "The LANGUAGE variable".
    package static func preferred(in environment: [String: String]) -> [String] {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        guard !["C", "POSIX"].contains(locale) else { return [] }
        let names = (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init) + [locale]
        return names.prefix(namesMax).compactMap(tag)
    }

    /// `available`, names of languages as `.lproj` folders have them, in the order in which they are asked: what suits
    /// `preferred`, then `developmentRegion`, `Base` and English, then all others.
    package static func order(
        _ available: [String], preferred: [String], developmentRegion: String?
    ) -> [String] {
        var left = available.sorted()
        var ordered: [String] = []
        func take(_ place: Int?) { if let place { ordered.append(left.remove(at: place)) } }
        for wanted in preferred { take(place(of: wanted, in: left)) }
        if let developmentRegion { take(place(of: developmentRegion, in: left)) }
        take(left.firstIndex(of: "Base"))
        take(place(of: "en", in: left))
        return ordered + left
    }

    /// The most languages that are looked at.
    private static let namesMax = 50
    /// How Chinese is written there.
    private static let chinese = ["cn": "hans", "sg": "hans", "tw": "hant", "hk": "hant", "mo": "hant"]
    private static let scripts = ["latin": "Latn", "cyrillic": "Cyrl"]
    /// What folders were called before there were tags.
    private static let oldNames = [
        "english": "en", "french": "fr", "german": "de", "italian": "it", "japanese": "ja", "spanish": "es",
        "dutch": "nl",
    ]

    /// `de_DE.UTF-8` and `sr_RS@latin` as tags; nil for `C`, which is no language.
    private static func tag(_ locale: String) -> String? {
        let parts = locale.split(separator: "@", maxSplits: 1)
        guard let name = parts.first?.split(separator: ".").first, name != "C", name != "POSIX" else { return nil }
        var subtags = name.split(whereSeparator: { $0 == "_" || $0 == "-" }).map(String.init)
        guard !subtags.isEmpty, subtags.allSatisfy({ $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } })
        else { return nil }
        if parts.count > 1, let script = scripts[String(parts[1])] { subtags.insert(script, at: 1) }
        return subtags.joined(separator: "-")
    }

    /// Where in `names` the language `wanted` stands: the same tag, else the one with less and less of it, else any of
    /// that language.
    private static func place(of wanted: String, in names: [String]) -> Int? {
        let names = names.map(subtags)
        var tags = subtags(wanted)
        guard let language = tags.first else { return nil }
        var candidates = [tags]
        if language == "zh", let script = tags.last.flatMap({ chinese[$0] }) { candidates.append([language, script]) }
        while tags.count > 1 {
            tags.removeLast()
            candidates.append(tags)
        }
        return candidates.lazy.compactMap { names.firstIndex(of: $0) }.first
            ?? names.firstIndex { $0.first == language }
    }

    private static func subtags(_ name: String) -> [String] {
        let name = name.lowercased()
        return (oldNames[name] ?? name).split(whereSeparator: { $0 == "_" || $0 == "-" }).map(String.init)
    }
}
