import BelfryAppDoor
import BelfrySyscalls
import BelfryTerms
import CallChannel
import Foundation
import Glibc
import Support
import Testing

@testable import CallKit

/// An app's `ringtoneSound`, from its bundle to `belfry-calls`.
@Suite(.timeLimit(.minutes(10))) struct RingtoneTests {
    private let app: PlayedApp
    private var centre: PlayedCentre { app.centre }
    private let folder = TemporaryFolder()
    private let bundle: Bundle

    init() throws {
        app = try PlayedApp()
        let path = folder.makeFolder("Phone.app")
        folder.write(Array("<plist version=\"1.0\"><dict></dict></plist>".utf8), to: "Phone.app/Info.plist")
        bundle = try #require(Bundle(path: path))
    }

    private func write(_ name: String, milliseconds: Int = 200) throws {
        try SoundSample(.caf, milliseconds: milliseconds).write(to: "\(folder.path)/Phone.app/\(name)")
    }

    /// The next tune that is passed, or the detail of why there is none.
    private func tune() async -> String? {
        await centre.first { message in
            switch message {
            case .tone(let name): name
            case .warning(CodeWord(.soundUnreadable), let detail): detail
            default: nil
            }
        }
    }

    @Test("it is passed once for each name, sealed, and again at each connection") func passes() async throws {
        defer { app.end() }
        try write("one.caf")
        folder.makeFolder("Phone.app/Sounds")
        try write("Sounds/two.caf")
        #expect(app.door.connect())
        let ringtone = Ringtone(app.door)
        for name in ["one.caf", "one.caf", "Sounds/two.caf"] { ringtone.declare(name, in: bundle) }
        // Removed while it plays: what was passed is its own.
        while await tune() != "Sounds/two.caf" {}
        #expect(unsafe unlink("\(folder.path)/Phone.app/Sounds/two.caf") == 0)
        #expect((1...2).contains(centre.files.count) && centre.files.allSatisfy(\.isSealedMemory))
        ringtone.declare("Sounds/two.caf", in: bundle)
        centre.hangUp()
        #expect(await tune() == "Sounds/two.caf")
        ringtone.declare(nil, in: bundle)
        ringtone.declare("one.caf", in: bundle)
        #expect(await tune() == "one.caf")
    }

    @Test(
        "S1 what cannot be played is told, with what was seen and what to do",
        arguments: [
            ("missing.caf", "has no such file"), ("fifo.caf", "not a regular file"),
            ("folder.caf", "not a regular file"), ("large.caf", "larger than 64 MiB"),
            ("text.caf", "Format not recognised"), ("empty.caf", "no sound in it"),
            ("../outside.caf", "not the name"), ("/etc/passwd", "not the name"), ("", "not the name"),
            ("Sounds//a", "not the name"), (String(repeating: "n", count: 257), "not the name"),
        ])
    func fails(_ name: String, why: String) async throws {
        defer { app.end() }
        let path = "\(folder.path)/Phone.app"
        #expect(unsafe mkfifo("\(path)/fifo.caf", 0o600) == 0)
        folder.makeFolder("Phone.app/folder.caf")
        folder.write(Array("no sound at all".utf8), to: "Phone.app/text.caf")
        try write("empty.caf", milliseconds: 0)
        try write("large.caf")
        #expect(unsafe truncate("\(path)/large.caf", 1 << 30) == 0)
        try SoundSample(.caf, milliseconds: 100).write(to: "\(folder.path)/outside.caf")
        #expect(app.door.connect())
        let ringtone = Ringtone(app.door)
        ringtone.declare(name, in: bundle)
        let detail = await tune() ?? ""
        #expect(detail.hasPrefix("ringtoneSound \"\(name.prefix(256))\" cannot be played: "), "\(detail)")
        #expect(detail.contains(why) && detail.contains("[Ring] Sound=") && detail.contains("CAF"), "\(detail)")
        #expect(centre.files.isEmpty)
        // Nothing else is disturbed.
        try write("good.caf")
        ringtone.declare("good.caf", in: bundle)
        #expect(await tune() == "good.caf")
    }

    @Test("a provider's configuration says it, and a report does not wait for it") func provider() async throws {
        defer { app.end() }
        let configuration = CXProviderConfiguration()
        configuration.ringtoneSound = "no-such-tune.caf"
        let provider = app.door.run { CXProvider(configuration: configuration) }
        app.door.run { provider.configuration = configuration }
        #expect(await tune()?.contains("has no such file") == true)
        withExtendedLifetime(provider) {}
    }
}
