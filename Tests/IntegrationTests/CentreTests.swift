import BelfryProtocol
import BelfryTerms
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("What an extension's own notification centre shows") struct ShownByExtension {
        private let folder = TemporaryFolder()

        @Test("is shown on the desktop, replaced by its identifier, and closed when it is removed")
        func shown() throws {
            let screen = try Screen()
            let dunst = try screen.startDunst()
            let phone = try Phone(["BELFRY_EXTENSION": sampleExtension(in: folder)], hasDesktop: true)
            try phone.wakeDesktop()
            let push = { (what: String, name: String?) in
                let named = name.map { #", "name": "\#($0)""# } ?? ""
                let push = try phone.push(
                    #"{"payload": {"aps": {"alert": {"title": "t"}, "mutable-content": 1}, "do": "\#(what)"\#(named)}, "#
                        + #""collapseId": "own"}"#)
                // Not its end: a notification is shown for a while only.
                #expect(try push.wait(for: "delivered").deliverer == .extension)
            }
            // Beside the pushes' own, which take each other's place.
            let displayed = { (count: Int) in
                try waitUntil {
                    try run("/usr/bin/dunstctl", ["count", "displayed"]).output.filter(\.isNumber) == "\(count + 1)"
                }
            }
            try push("add", "a")
            #expect(try displayed(1))
            try push("add", "a")
            try push("add", "b")
            #expect(try displayed(2))
            try push("remove", "a")
            #expect(try displayed(1))
            try push("remove", nil)
            #expect(try displayed(0))
            try Screen.end(dunst)
        }
    }
}
