import BelfryAppleGround
import Foundation
import Support
import Testing

/// Which of a bundle's languages is asked first.
@Suite struct LanguageOrderTests {
    @Test(
        "the person's languages come from the variables in gettext's order",
        arguments: [
            (["LANG": "de_DE.UTF-8"], ["de-DE"]), (["LANG": "de"], ["de"]),
            (["LC_ALL": "pt_BR", "LANG": "de"], ["pt-BR"]),
            (["LC_ALL": "", "LC_MESSAGES": "fr_FR@euro", "LANG": "de"], ["fr-FR"]),
            (["LANG": "sr_RS@latin"], ["sr-Latn-RS"]),
            (["LANGUAGE": "pt_BR:de", "LANG": "en_US.UTF-8"], ["pt-BR", "de", "en-US"]), (["LANGUAGE": "de"], ["de"]),
            (["LANGUAGE": "de", "LANG": "C"], []), (["LANGUAGE": "de", "LANG": "C.UTF-8"], ["de"]), ([:], []),
            (["LC_ALL": "POSIX", "LANG": "de"], []), (["LANG": "C.UTF-8"], []), (["LANG": "@.:_"], []),
        ] as [([String: String], [String])])
    func preferred(environment: [String: String], languages: [String]) {
        #expect(LanguageOrder.preferred(in: environment) == languages)
    }

    @Test(
        "what suits the person best comes first, then the development region, then what there is",
        arguments: [
            (["en", "de", "pt-BR"], ["de-DE"], nil, "de"), (["en", "de", "pt-BR"], ["pt-BR"], nil, "pt-BR"),
            (["en", "de", "pt-BR"], ["pt"], "en", "pt-BR"), (["en", "de"], ["fr", "de"], "en", "de"),
            (["en", "de"], ["fr"], "de", "de"), (["en", "de"], ["fr"], nil, "en"), (["de"], [], nil, "de"),
            (["de", "Base", "fr"], [], nil, "Base"), (["German", "English"], ["de-AT"], nil, "German"),
            (["zh-Hans", "zh-Hant"], ["zh-TW"], nil, "zh-Hant"), (["zh-Hant", "zh_CN"], ["zh-CN"], nil, "zh_CN"),
            (["zh-Hant", "zh-Hans"], ["zh"], nil, "zh-Hans"), (["pt-PT", "pt"], ["pt-BR"], nil, "pt"),
            (["de-CH", "de"], ["de-ch"], nil, "de-CH"),
        ] as [([String], [String], String?, String)])
    func order(available: [String], preferred: [String], region: String?, first: String) {
        let order = LanguageOrder.order(available, preferred: preferred, developmentRegion: region)
        #expect(order.first == first && order.sorted() == available.sorted())
    }

    @Test(
        "each way to look up a text finds the person's language, or what there is",
        arguments: [
            (["en", "de", "pt-BR"], ["de-DE"], "de"), (["en", "de", "pt-BR"], ["pt"], "pt-BR"),
            (["en", "de", "pt-BR"], ["fr"], "en"), (["de"], [], "de"), ([], ["de"], "GREET"),
        ] as [([String], [String], String)])
    func texts(available: [String], languages: [String], text: String) throws {
        let folder = TemporaryFolder()
        folder.makeFolder("Name.bundle/fr.lproj")
        for language in available {
            folder.makeFolder("Name.bundle/\(language).lproj")
            let table = Array("\"GREET\" = \"\(language)\";".utf8)
            folder.write(table, to: "Name.bundle/\(language).lproj/Localizable.strings")
        }
        let bundle = try #require(Bundle(path: "\(folder.path)/Name.bundle"))
        #expect(bundle.text(forKey: "GREET", value: nil, table: nil, languages: languages) == text)
        #expect(bundle.text(forKey: "NONE", value: "v", table: "", languages: languages) == "v")
        #expect(bundle.text(forKey: "NONE", value: "", table: "None", languages: languages) == "NONE")
    }
}
