import BelfryCommandLine
import BelfryProtocol
import Support
import Synchronization
import Testing
@testable import belfry

/// What comes from scripts and from newer workers, changed at random.
@Suite struct HostileTextTests {
    @Test("R18 S3: a changed event line never traps, and no control character of it is printed")
    func events() {
        var random = SeededRandom(seed: 18)
        let lines = [
            #"{"event":"tick","at":1e300,"boot":2,"id":"i","n":9223372036854775807,"late":-1e308}"#,
            #"{"event":"ended","at":9,"boot":1,"id":"i","call":"A","reason":"hangup","rang":8.5,"ticks":8}"#,
            #"{"event":"warning","at":0,"boot":1,"id":"i","code":"field-ignored","detail":"a\nb\u0007"}"#,
            #"{"event":"vibration","at":0,"boot":1,"id":"i","strength":[1,{"a":null}]}"#,
        ]
        for line in lines {
            for changes in 0..<2_000 {
                let bytes = changes == 0 ? Array(line.utf8) : random.mutated(Array(line.utf8))
                guard let event = try? Event(line: bytes) else { continue }
                let text = EventText(style: Style(isTerminal: false, environment: [:])).line(event)
                #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "\(bytes)")
            }
        }
    }

    @Test("R18: changed words of a command line never trap") func words() {
        var random = SeededRandom(seed: 18)
        for words in [
            ["--group", "group.a", "--json", "--", "-x"], ["-int", "-18446744073709551615"], ["--soc=/a", "é"],
        ] {
            for _ in 0..<2_000 {
                let changed = words.map { String(decoding: random.mutated(Array($0.utf8)), as: UTF8.self) }
                for stops in [false, true] {
                    let parsed = CommandRun.lock.withLock { _ in
                        try? OptionParser.parse(changed, Option.common, stopsAtFirstArgument: stops)
                    }
                    #expect((parsed?.arguments.count ?? 0) <= words.count)
                }
                if let value = try? TypedValue.parse(Array(changed.prefix(2)), for: "key") {
                    #expect(!value.kind.isEmpty)
                }
            }
        }
    }
}
