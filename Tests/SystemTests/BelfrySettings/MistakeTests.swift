@testable import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

@Suite struct MistakeTests {
    let folder = ConfigurationFolder()

    func check(_ text: String) -> [Mistake] { SettingsLoader.check(file: folder.write("one.conf", text)) }

    @Test func aWrongValueLeavesTheLastGoodOne() throws {
        folder.write("etc/belfry/belfry.conf", "[Ring]\nDuration=20s\n")
        folder.write("home/.config/belfry/belfry.conf", "[Ring]\nDuration=2x\nInterval=1ms\n")
        let loaded = SettingsLoader.load(
            environment: Environment(folder.environment), machineRoot: "\(folder.path)/etc")
        #expect(loaded.settings.ringDuration == .seconds(20))
        #expect(loaded.settings.ringInterval == .seconds(1))
        try #require(loaded.mistakes.count == 2)
        let first = loaded.mistakes[0]
        #expect(first.code == .badValue)
        #expect(
            first.description
                == "\(folder.path)/home/.config/belfry/belfry.conf:2: Duration=2x is ignored: expected a duration "
                + "from 1s to 120s, such as 30s, 1500ms or 1min; "
                + "in force is 20s (\(folder.path)/etc/belfry/belfry.conf:2)"
        )
        #expect(loaded.mistakes[1].detail.hasSuffix("from 200ms to 10s; in force is 1s (default)"))
    }

    @Test func aWrongVariableLeavesTheFilesValue() {
        let loaded = SettingsLoader.load(
            environment: [
                "BELFRY_VIBRATE": "perhaps", "BELFRY_RING_DURATON": "3s", "BELFRY_TEST_BIN": "/", "BELFRY_SOCKET": "/",
            ],
            machineRoot: "\(folder.path)/etc"
        )
        #expect(loaded.settings == Settings())
        #expect(
            loaded.mistakes.map(\.description) == [
                "$BELFRY_VIBRATE: Vibrate=perhaps is ignored: expected yes or no; in force is yes (default)",
                "$BELFRY_RING_DURATON: there is no such variable, ignored; did you mean BELFRY_RING_DURATION?",
            ]
        )
    }

    @Test(
        "variables that are no settings are no mistakes: those of configuration.md",
        arguments: [
            "BELFRY_SOCKET", "BELFRY_STATE_DIRECTORY", "BELFRY_RUNTIME_DIRECTORY", "BELFRY_SOUNDS_DIRECTORY",
        ])
    func otherVariables(name: String) {
        let page = String(decoding: sourceBytes("docs/configuration.md"), as: UTF8.self)
        #expect(page.contains("| `\(name)` |"))
        let loaded = SettingsLoader.load(environment: [name: "/tmp"], machineRoot: "\(folder.path)/etc")
        #expect(loaded.mistakes.isEmpty)
    }

    @Test(arguments: [
        ("[Ring]\nDuraton=3s", "unknown-key", "did you mean Duration=?"),
        ("[Ring]\nduration=3s", "unknown-key", "did you mean Duration=?"),
        ("[Ring]\nTimeout=3s", "unknown-key", "did you mean [Avatar] Timeout=?"),
        ("[AppGroup]\nColour=red", "unknown-key", "[AppGroup] has Name="),
        ("[Rign]\nDuration=3s", "unknown-section", "did you mean [Ring]?"),
        (
            "[Telephone]\nDuration=3s", "unknown-section",
            "there are [Ring] [Call] [Extension] [Calls] [Avatar] [Contacts] [Directory] [AppGroup] [APNs] [Fleet] "
                + "[Desktop]"
        ),
        ("Duration=3s", "unknown-section", "it belongs under [Ring]"),
        ("[Ring]\nDuration 3s", "bad-line", "'Duration 3s' is not Key=value"),
        ("[Ring]\n=3s", "bad-line", "'=3s' is not Key=value"),
        ("[Ring\nDuration=3s", "bad-line", "'[Ring' is not Key=value"),
    ])
    func mistakesNameWhatWasMeant(text: String, code: String, detail: String) {
        let mistakes = check(text)
        #expect(mistakes.first?.code.rawValue == code)
        #expect(mistakes.first?.detail.contains(detail) == true, "\(mistakes)")
    }

    /// Settings that take any word.
    private static let ofWords: [Setting] = [
        .ringSound, .ringDevice, .callID, .callerName, .callHandle, .callVideo, .callAvatar, .callType, .callRequest,
        .callHangup,
    ]

    @Test("names of fields and words are bounded, and a word has a value", arguments: ofWords.dropFirst(2))
    func names(setting: Setting) {
        let isOfWords = [.callVideo, .callRequest, .callHangup].contains(setting)
        let tooMany = Array(repeating: "a", count: 17).joined(separator: " ")
        for value in ["\u{1B}[2J", tooMany, String(repeating: "a", count: 129)] + (isOfWords ? ["a=", "=a"] : []) {
            let mistakes = check("[\(setting.section)]\n\(setting.key)=\(value)\n")
            #expect(mistakes.map(\.code) == [.badValue], "\(setting) \(value)")
        }
    }

    @Test(arguments: Setting.allCases.filter { !ofWords.contains($0) })
    func everySettingRefusesWhatItDoesNotTake(setting: Setting) {
        for value in ["1e300", "NaN", "-1", "99999999999999999999s", "\u{1B}[2J", "http://x/", "/"] {
            let mistakes = check("[\(setting.section)]\n\(setting.key)=\(value)\n")
            // A name is any word of the right letters, and these two are.
            let isName = (value == "1e300" || value == "NaN" || value == "99999999999999999999s")
            if [.extensionPath, .contactsFile].contains(setting), value == "/" { continue }
            if isName, [.avatarAllow, .avatarFrom, .appGroupName, .passEnvironment].contains(setting) { continue }
            #expect(mistakes.map(\.code) == [.badValue], "\(setting) \(value)")
        }
    }

    @Test func filesThatCannotBeReadAreMistakes() {
        let one = folder.write("one.conf", "")
        #expect(SettingsLoader.check(file: one).isEmpty)
        #expect(SettingsLoader.check(file: one + "x").map(\.code) == [.unreadable])
        #expect(SettingsLoader.check(file: folder.path).map(\.code) == [.unreadable])
        let pipe = "\(folder.path)/pipe"
        unsafe mkfifo(pipe, 0o600)
        #expect(SettingsLoader.check(file: pipe).map(\.code) == [.unreadable])
    }

    @Test func aFileHasALimit() {
        let comment = "#" + String(repeating: "x", count: 64 * 1024 - 2) + "\n"
        #expect(check(comment).isEmpty)
        #expect(check(comment + "\n").map(\.code) == [.tooLarge])
    }

    @Test func aFileIsText() {
        #expect(SettingsLoader.check(file: folder.write("one.conf", [0x23, 0xFF, 0x0A])).map(\.code) == [.notText])
        #expect(check("# \u{0}").map(\.code) == [.notText])
    }

    @Test func mistakesAreBounded() {
        let mistakes = check(String(repeating: "nonsense\n", count: 5_000))
        #expect(mistakes.count == LoadedSettings.mistakesMax)
        #expect(mistakes.last?.code == .tooLarge)
    }

    @Test func dropInsAreBounded() {
        for index in 0...FileReader.dropInsMax { folder.write("etc/belfry/belfry.conf.d/\(index).conf", "") }
        let loaded = SettingsLoader.load(environment: [:], machineRoot: "\(folder.path)/etc")
        #expect(loaded.mistakes.map(\.code) == [.tooLarge])
    }

    @Test func whatSurprisesIsAdvice() {
        var settings = Settings()
        #expect(settings.advice.isEmpty)
        #expect(settings.set(.expiryBudget, to: "31s") && settings.set(.maxCalls, to: "20"))
        #expect(settings.advice.count == 1)
        #expect(settings.advice.first?.contains("iOS") == true)
    }

    @Test func moreCallsOfAGroupThan20AreAMistake() {
        var settings = Settings()
        let (isTooMany, isNone) = (settings.set(.maxCalls, to: "21"), settings.set(.maxCalls, to: "0"))
        #expect(!isTooMany && !isNone && settings.callsMax == 10)
    }

    @Test func mutatedFilesNeverTrap() {
        let valid = Array("[Ring]\nDuration=1min 30s\nInterval=.5\n[Avatar]\nMaxBytes=10M\nAllow=::1/128,a.b\n".utf8)
        var seed: UInt64 = 0x9E37_79B9_7F4A_7C15
        func next(_ bound: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((seed >> 33) % UInt64(bound))
        }
        for _ in 0..<20_000 {
            var bytes = valid
            for _ in 0...next(4) { bytes[next(bytes.count)] = UInt8(next(256)) }
            for (_, item) in ConfigurationText(String(decoding: bytes, as: UTF8.self)).items {
                guard case .assignment(_, let value) = item else { continue }
                _ = ValueText.duration(value)
                _ = ValueText.size(value, in: 0...Int.max)
                _ = HostList.parse(value, addresses: true)
            }
        }
    }
}
