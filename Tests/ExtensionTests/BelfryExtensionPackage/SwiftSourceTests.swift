@testable import BelfryExtensionPackage
import Testing

/// What is read of Swift files, and what is blanked in them.
@Suite struct SwiftSourceTests {
    /// The modules that a file of this `text` imports, each with its line.
    private func imports(_ text: String) -> [String] {
        let known: Set<String> = ["UIKit", "Foundation"]
        return SourceFacts(SwiftSource(Array(text.utf8)), hasModule: known.contains).imports.map {
            "\($0.module) \($0.line)"
        }
    }

    private func blanked(_ text: String) -> String {
        var source = SwiftSource(Array(text.utf8))
        source.blankForLinux()
        return String(decoding: source.bytes, as: UTF8.self)
    }

    @Test("what is long and odd is read in linear time", .timeLimit(.minutes(10)))
    func linear() {
        let pounds = String(repeating: "#", count: 400 << 10)
        for text in [pounds, "let a = \"\\(\(pounds)", "\(pounds)/a", "let a = \(pounds)\""] {
            #expect(imports("import A\n\(text)") == ["A 1"])
        }
        #expect(imports("let a = ##\"b\"##; import A\n#if os(Linux)\nimport B\n#endif") == ["A 1", "B 3"])
    }

    @Test("imports are found in each of their forms, and nothing else is taken for one")
    func forms() {
        let text = """
            import UIKit; import Intents
            @testable import A
            @_exported public import struct B.C
            import os.log // import No
            /* import No /* import No */ import No */ import D
            @_spi(Some) import E
            let a = "import No \\(b("import No")) import No"
            let b = \"""
                import No
                \"""
            let c = #"import " No"#
            x.import(No)
            case import
            """
        #expect(imports(text) == ["UIKit 1", "Intents 1", "A 2", "B 3", "os 4", "D 5", "E 6"])
        #expect(imports("// \\\r\nimport A\r\n#if DEBUG\r\nimport B\r\n#endif") == ["A 2", "B 4"])
    }

    @Test(
        "what is not compiled on Linux is not imported",
        arguments: [
            ("os(iOS)", false), ("os(Linux)", true), ("!os(iOS)", true), ("canImport(UIKit)", true),
            ("canImport(Darwin)", false), ("os(iOS) || canImport(UIKit)", true), ("os(iOS) && canImport(UIKit)", false),
            ("DEBUG", true), ("FLAG", false), ("swift(>=5.9)", true), ("swift(<5)", false), ("compiler(>=6)", true),
            ("targetEnvironment(simulator)", false), ("(os(iOS) || DEBUG) && !FLAG", true), ("", false), ("((", false),
            ("os(iOS) && DEBUG || FLAG", false), ("arch(x86_64)", true), ("platform(iOS)", false), ("true", true),
        ])
    func conditions(condition: String, holds: Bool) {
        let text = "#if \(condition) // why\nimport A\n#else\nimport B\n#endif\nimport C"
        #expect(imports(text) == [holds ? "A 2" : "B 4", "C 6"])
    }

    @Test("of the branches of one condition the first that holds is compiled, and inner ones only within it")
    func branches() {
        let text = """
            #if os(iOS)
            import A
            #if DEBUG
            import B
            #endif
            #elseif DEBUG
            import C
            #elseif DEBUG
            import D
            #else
            import E
            #endif
            #endif
            import F
            """
        #expect(imports(text) == ["C 7", "F 14"])
    }

    @Test("attributes are blanked in place: lines and columns of all else stay")
    func attributes() {
        let text = """
            @objc class A { @objc(Éa:b:) func f() {} } // @objc
            @objcMembers @objc public class B {} ; let a = "@objc \\(c) @objc"; let s = #selector(x)
            @objcOther func g() {}
            let é = 1; @objc var b = /@objc "/
            """
        let expected = """
                  class A {               func f() {} } // @objc
                               public class B {} ; let a = "@objc \\(c) @objc"; let s = #selector(x)
            @objcOther func g() {}
            let é = 1;       var b = /@objc "/
            """
        #expect(blanked(text) == expected)
        #expect(blanked(expected) == expected, "a second time changes nothing")
        #expect(blanked("@objc(a") == "     (a" && blanked("@objc") == "     ")
    }

    @Test("Darwin's import is blanked, and only Darwin's")
    func darwin() {
        #expect(
            blanked("import Darwin\nimport Darwin.C;import struct Darwin.x\n")
                == "             \n               ;                      \n")
        #expect(blanked("@preconcurrency import Darwin // c\n") == "                              // c\n")
        #expect(blanked("import DarwinKit\n// import Darwin\n") == "import DarwinKit\n// import Darwin\n")
    }

    @Test("modules of Apple's that are not here are blanked, or what they bring is imported") func modulesOfApples() {
        #expect(
            blanked("import CoreData // c\n@testable import SwiftUI\nimport AVFoundation;import class AVFoundation.A")
                == "                // c\n@testable import UIKit  \nimport AVFAudio    ;import AVFAudio            ")
        #expect(blanked("import SwiftUI.View;import UIKit") == "import UIKit       ;import UIKit")
        #expect(blanked("@_exported import func AVFoundation.f") == "@_exported import AVFAudio           ")
        #expect(blanked("\u{FEFF}import CoreData\nimport SwiftUI") == "\u{FEFF}               \nimport UIKit  ")
        #expect(blanked("import SwiftUIX\nimport UIKit.UIImage") == "import SwiftUIX\nimport UIKit        ")
        #expect(blanked("import class UIKit.UIImage;import os.log") == "import class UIKit.UIImage;import os.log")
        var source = SwiftSource(Array("import CoreFoundation\nimport CoreData\nimport Realm".utf8))
        #expect(source.blankForLinux() == [GoneImport(module: "CoreData", standIn: nil)])
        var own = SwiftSource(Array("import CoreData".utf8))
        #expect(own.blankForLinux(hasModule: { $0 == "CoreData" }).isEmpty)
        #expect(String(decoding: own.bytes, as: UTF8.self) == "import CoreData")
    }

    @Test("a condition that asks for iOS holds: lines and columns of all else stay") func platform() {
        #expect(
            blanked("#if os(iOS) && !os ( iOS )\nos(iOS)\n#elseif os(iOS)// os(iOS)\n#endif")
                == "#if true    && !true      \nos(iOS)\n#elseif true   // os(iOS)\n#endif")
        #expect(
            blanked("#if os(macOS) || os(Linux)") == "#if os(macOS) || os(Linux)" && blanked("#if os(") == "#if os(")
    }

    @Test("classes are found with what they inherit")
    func classes() {
        let text = """
            final class A: B, C.D { class func f() {} }
            class E<T: X>: F where T: Y {}
            class G {}
            protocol P: class {}
            """
        let found = SourceFacts(SwiftSource(Array(text.utf8)), hasModule: { _ in false }).classes
        #expect(found.map(\.name) == ["A", "E"] && found.map(\.parents) == [["B", "D"], ["F"]])
    }

    @Test("what never ends ends, and what is nested without end is read in time")
    func endless() {
        for text in [
            "\"", "\"\"\"", "/*", "#\"", "\"\\(", "#/", "/", "/a", "a /\\", "\"\\", "@", "#if", "import",
            "class", "class A", "class A:",
        ] {
            _ = imports(text)
            _ = blanked(text)
        }
        for piece in ["\"\\(", "/*", "#/ ", "#if (", "((", "@objc(", "import ", "class A<", "class A: B "] {
            let text = String(repeating: piece, count: 300)
            _ = imports(text)
            #expect(blanked(text).utf8.count == text.utf8.count)
        }
    }
}
