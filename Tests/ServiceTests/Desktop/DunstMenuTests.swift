import BelfrySyscalls
import Glibc
import Support
import Testing

@testable import Desktop

@Suite("The menu in which dunst has a person choose") struct DunstMenuTests {
    private let folder = TemporaryFolder()

    private func missing(_ arguments: String..., path: String = "/nowhere") -> String? {
        DunstMenu.missing(
            arguments: ["dunst"] + arguments,
            environment: Environment([
                "HOME": folder.path, "PATH": path, "XDG_CONFIG_DIRS": "\(folder.path)/etc",
            ]))
    }

    @Test("is what its settings name, with blanks, quotes, remarks and other sections") func parsed() {
        #expect(DunstMenu.menu(in: "[global]\n  dmenu = /usr/bin/dmenu -p dunst:\n") == "/usr/bin/dmenu")
        #expect(DunstMenu.menu(in: "[global]\ndmenu=\"rofi -dmenu\"\n[x]\ndmenu = no\n") == "rofi")
        for none in ["", "dmenu = a", "[global]\n# dmenu = a\n; dmenu = b\ndmenus = c", "[x]\ndmenu = a"] {
            #expect(DunstMenu.menu(in: none) == nil, "\(none)")
        }
    }

    @Test("is looked for where it is named: by a path, at home, or in PATH") func places() {
        folder.makeFolder(".config/dunst")
        folder.makeFolder("bin")
        unsafe chmod(folder.write([], to: "bin/menu"), 0o755)
        for (named, path, isThere) in [
            ("\(folder.path)/bin/menu -p x", "", true), ("~/bin/menu", "", true), ("menu", "\(folder.path)/bin", true),
            ("menu", "", false), ("/nowhere/menu", "\(folder.path)/bin", false),
        ] {
            folder.write(Array("[global]\ndmenu = \(named)\n".utf8), to: ".config/dunst/dunstrc")
            #expect((missing(path: path) == nil) == isThere, "\(named)")
        }
    }

    @Test("is said last by a file beside dunstrc, and by the file that dunst was started with alone") func files() {
        for folders in ["etc/dunst/dunstrc.d", ".config/dunst/dunstrc.d"] { folder.makeFolder(folders) }
        let write = { (program: String, file: String) in
            folder.write(Array("[global]\ndmenu = \(program)\n".utf8), to: file)
        }
        _ = write("/a", "etc/dunst/dunstrc")
        #expect(missing() == "/a")
        _ = write("/b", ".config/dunst/dunstrc")
        #expect(missing() == "/b")
        _ = write("/c", "etc/dunst/dunstrc.d/9.conf")
        #expect(missing() == "/c")
        _ = write("/d", ".config/dunst/dunstrc.d/1.conf")
        _ = write("/e", ".config/dunst/dunstrc.d/2.txt")
        #expect(missing() == "/d")
        let own = write("/f", "own")
        #expect(missing("-conf", own) == "/f")
    }
}
