extension Bundle {
    /// The text of `key` in the table `table` of the first language that has that table; `value` if the table lacks it,
    /// and `key` if that is nil or empty.
    ///
    /// Foundation would take the languages from preferences that Linux does not have, and knows English alone.
    package func text(
        forKey key: String, value: String?, table: String?,
        languages: [String] = LanguageOrder.preferred(in: ProcessInfo.processInfo.environment)
    ) -> String {
        let root = resourcePath ?? bundlePath
        let ending = ".lproj"
        let files = FileManager.default
        let available = ((try? files.contentsOfDirectory(atPath: root)) ?? []).filter { $0.hasSuffix(ending) }
            .map { String($0.dropLast(ending.count)) }
        let region = infoDictionary?["CFBundleDevelopmentRegion"] as? String
        let name = (table.flatMap { $0.isEmpty ? nil : $0 } ?? "Localizable") + ".strings"
        let language = LanguageOrder.order(available, preferred: languages, developmentRegion: region)
            .first { files.fileExists(atPath: "\(root)/\($0)\(ending)/\(name)") }
        let bundle = language.flatMap { Bundle(path: "\(root)/\($0)\(ending)") } ?? self
        return bundle.localizedString(forKey: key, value: value, table: table)
    }
}

extension BelfryGlue {
    /// What `Bundle.localizedString` and `NSLocalizedString` give on iOS: a text in the person's language.
    public static func text(forKey key: String, value: String?, table: String?, in bundle: Bundle) -> String {
        bundle.text(forKey: key, value: value, table: table)
    }
}
