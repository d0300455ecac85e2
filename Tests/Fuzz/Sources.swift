import BelfryExtensionPackage

/// Files of apps, as Swift and as String Catalogs.
func feedSources(_ bytes: [UInt8]) {
    feedSwift(bytes)
    guard let catalog = try? StringCatalog(bytes) else { return }
    precondition(catalog.tables.count <= StringCatalog.languagesMax, "too many languages")
    for language in catalog.tables.keys {
        precondition(!language.isEmpty && !language.utf8.contains(UInt8(ascii: "/")), "a language leads elsewhere")
    }
}

/// Swift files of apps: what is written is what was read, but for what is blanked or named otherwise in its
/// place.
private func feedSwift(_ bytes: [UInt8]) {
    var source = SwiftSource(bytes)
    source.blankForLinux()
    precondition(source.bytes.count == bytes.count, "a column has moved")
    let isInPlace = zip(source.bytes, bytes).allSatisfy { new, old in
        new == old || new == UInt8(ascii: " ") || Unicode.Scalar(new).properties.isAlphabetic
    }
    precondition(isInPlace, "something else than a blank or a name is written")
    let template = PackageTemplate(.appExtension, folder: "fuzz", belfry: "/belfry")
    guard let text = template.files.first(where: { $0.path == "Package.swift" })?.text,
        let manifest = PackageManifest(text)
    else { preconditionFailure("the template is no package") }
    let plan = ImportPlan(
        of: [ImportPlan.File(path: "A.swift", bytes: bytes)], into: manifest,
        sources: [ImportPlan.File(path: "main.swift", bytes: bytes)], test: nil)
    let written = plan.writes.first?.bytes ?? []
    precondition(written.starts(with: source.bytes), "another file is written")
    // Behind it only what modules bring along on iOS.
    let added = written[source.bytes.count...].split(separator: UInt8(ascii: "\n"))
    precondition(added.allSatisfy { $0.starts(with: "import ".utf8) }, "something else than an import is added")
}
