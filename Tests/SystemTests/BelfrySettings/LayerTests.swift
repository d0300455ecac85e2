@testable import BelfrySettings
import BelfrySyscalls
import BelfryTerms
import Glibc
import Testing

@Suite struct LayerTests {
    let folder = ConfigurationFolder()

    func load(_ variables: [String: String] = [:]) -> LoadedSettings {
        let environment = folder.environment.merging(variables) { $1 }
        return SettingsLoader.load(environment: Environment(environment), machineRoot: "\(folder.path)/etc")
    }

    @Test func nothingConfiguredIsTheDefaults() {
        let loaded = load()
        #expect(loaded.settings == Settings())
        #expect(loaded.mistakes.isEmpty)
        #expect(Setting.allCases.allSatisfy { loaded.origin(of: $0) == .standard })
        let none = SettingsLoader.load(environment: [:], machineRoot: "\(folder.path)/etc")
        #expect(none.settings == Settings() && none.mistakes.isEmpty)
    }

    @Test func defaultsAreThoseOfTheDesign() {
        let texts = Setting.allCases.map { Settings().text(of: $0) }
        #expect(
            texts == [
                "30s", "1s", "ring", "", "", "yes", "400ms 600ms", "", "180s", "mute", "soft",
                "10", "", "", "", "", "", "", "", "", "", "30s", "", "no", "no", "no", "PATH LANG LC_* TZ", "", "5s",
                "5s", "60s", "600s", "5s", "10M", "", "", "",
                "", "2000000", "120s", "", "yes", "", "0", "00",
                "group.belfry", "120s", "production", "1000", "10s", "1000", "auto", "silence", "", "", "", "", "",
            ]
        )
    }

    @Test func laterLayersWin() {
        folder.write("etc/belfry/belfry.conf", "[Ring]\nDuration=1s\nInterval=2s\nSound=a\nVibrate=no\nMaxCalls=1\n")
        folder.write("etc/belfry/belfry.conf.d/10-a.conf", "[Ring]\nInterval=3s\nSound=b\nVibrate=yes\nMaxCalls=2\n")
        folder.write("etc/belfry/belfry.conf.d/20-a.conf", "[Ring]\nSound=c\nVibrate=no\nMaxCalls=3\n")
        folder.write("etc/belfry/belfry.conf.d/30-a.txt", "[Ring]\nSound=wrong\n")
        folder.write("home/.config/belfry/belfry.conf", "[Ring]\nVibrate=yes\nMaxCalls=4\n")
        folder.write("home/.config/belfry/belfry.conf.d/0.conf", "[Ring]\nMaxCalls=5\n")
        let loaded = load(["BELFRY_MAX_CALLS": "6"])
        #expect(loaded.mistakes.isEmpty)
        #expect(loaded.settings.ringDuration == .seconds(1))
        #expect(loaded.settings.ringInterval == .seconds(3))
        #expect(loaded.settings.sound == "c")
        #expect(loaded.settings.vibrates)
        #expect(loaded.settings.callsMax == 6)
        #expect(loaded.origin(of: .ringDuration).description == "\(folder.path)/etc/belfry/belfry.conf:2")
        #expect(loaded.origin(of: .ringSound).description == "\(folder.path)/etc/belfry/belfry.conf.d/20-a.conf:2")
        #expect(loaded.origin(of: .maxCalls) == .environment(variable: "BELFRY_MAX_CALLS"))
        let without = load()
        #expect(without.settings.callsMax == 5)
    }

    @Test func anEmptyValueIsTheDefault() {
        folder.write("etc/belfry/belfry.conf", "[Ring]\nDuration=7s\n")
        folder.write("home/.config/belfry/belfry.conf", "[Ring]\nDuration=\n")
        let loaded = load()
        #expect(loaded.settings.ringDuration == .seconds(30))
        #expect(loaded.origin(of: .ringDuration) == .standard)
    }

    @Test func anEmptyVariableIsNone() {
        folder.write("etc/belfry/belfry.conf", "[Ring]\nDuration=7s\n")
        #expect(load(["BELFRY_RING_DURATION": ""]).settings.ringDuration == .seconds(7))
    }

    @Test func theUsersFolderMayBeElsewhere() {
        folder.write("elsewhere/belfry/belfry.conf", "[Ring]\nDuration=7s\n")
        #expect(load(["XDG_CONFIG_HOME": "\(folder.path)/elsewhere"]).settings.ringDuration == .seconds(7))
        #expect(load(["XDG_CONFIG_HOME": "relative"]).settings.ringDuration == .seconds(30))
    }

    @Test(arguments: Setting.allCases)
    func everySettingHasItsVariableAndItsKey(setting: Setting) {
        let other: [Setting: String] = [
            .ringDuration: "7s", .ringInterval: "500ms", .ringSound: "none", .ringDevice: "alsa_output.usb-1.stereo",
            .ringVolume: "70%", .callPayload: "twilio", .callID: "uuid data.id", .callerName: "who",
            .callHandle: "from", .callVideo: "isVideo media=video", .callAvatar: "face", .callType: "kind",
            .callRequest: "ring kind=2", .callHangup: "twi_message_type=twilio.voice.cancel over=*",
            .ringVibrate: "no",
            .vibratePattern: "1s 10ms", .quietHours: "22:00-07:00 13:00-14:30", .allowRepeated: "0s",
            .secondCall: "loud",
            .maxCalls: "7", .expiryBudget: "90s", .avatarTimeout: "0s", .avatarMaxBytes: "1K",
            .avatarAllow: "10.0.0.0/8",
            .extensionPath: "/opt/A.appex", .enforceMemory: "yes", .extensionStrict: "yes",
            .extensionReuse: "yes", .passEnvironment: "HOME CI_*",
            .callsApps: "/opt/A.app /srv/My Phone.app", .appPatience: "1s", .actionTimeout: "100ms",
            .answerTimeout: "600s", .startTimeout: "300s",
            .directoryExtensions: "/opt/A.appex /srv/My List.appex", .directoryMaxEntries: "7",
            .directoryLoadTimeout: "7s", .directoryLoadMemory: "12M", .directoryAppCalls: "no",
            .directoryCountryCode: "49", .directoryTrunkPrefix: "none", .directoryInternationalPrefix: "011",
            .contactsFile: "/home/anna/a.vcf", .avatarFrom: "a.example", .appGroupName: "group.other",
            .answerLifetime: "90s",
            .apnsEnvironment: "development", .apnsFirstStreams: "1",
            .fleetPatience: "7s", .fleetDevicesPerMachine: "7",
            .doNotDisturb: "ignore", .desktopNotify: "no", .onClose: "none", .onAnswer: "a.service",
            .onDecline: "/bin/b c",
            .onMissed: "/bin/d", .onCallBack: "e.target", .onClick: "/bin/f",
        ]
        let value = other[setting] ?? ""
        #expect(load([setting.environmentVariable: value]).settings.text(of: setting) == value)
        let file = folder.write("one.conf", "[\(setting.section)]\n\(setting.key)=\(value)\n")
        let loaded = SettingsLoader.loadOnly(file: file)
        #expect(loaded.settings.text(of: setting) == value)
        #expect(loaded.settings != Settings() && loaded.mistakes.isEmpty)
        var emptied = loaded.settings
        let isTaken = emptied.set(setting, to: "")
        #expect(isTaken && emptied == Settings())
    }

    @Test("the names of calls: those of the keys first, then those of the set that a device or a setting names")
    func callNames() {
        var settings = Settings()
        #expect(settings.callNames(for: nil) == nil && settings.callNames(for: .belfry) == nil)
        #expect(settings.callNames(for: .twilio) == CallPayload.twilio.names)
        let isTaken = settings.set(.callID, to: "uuid") && settings.set(.callPayload, to: "stream")
        #expect(isTaken && settings.callNames(for: nil)?.id == ["uuid", "stream.call_cid"])
        #expect(settings.callNames(for: .twilio)?.id == ["uuid", "twi_call_sid"])
        #expect(settings.callNames(for: .belfry) == CallNames(id: ["uuid"]))
    }

    @Test func syntaxIsSystemds() {
        let text = """
            \u{FEFF}# comment
            ; comment

             [Ring]\u{20}
              Duration \t=  7s\u{20}\r
            Sound=\\
            # a comment inside
              quiet
            X-Note=anything
            [X-Mine]
            Whatever=1
            [Avatar]
            From=a.example \\
             b.example
            """
        let loaded = SettingsLoader.loadOnly(file: folder.write("one.conf", text))
        #expect(loaded.mistakes.map(\.description) == [])
        #expect(loaded.settings.ringDuration == .seconds(7))
        #expect(loaded.settings.sound == "quiet")
        #expect(loaded.settings.avatarFrom == ["a.example", "b.example"])
        #expect(loaded.origin(of: .avatarFrom).description.hasSuffix(":13"))
    }

    @Test func aFileMayBeMasked() {
        folder.makeFolders(of: "etc/belfry/belfry.conf.d/10-a.conf")
        unsafe symlink("/dev/null", "\(folder.path)/etc/belfry/belfry.conf.d/10-a.conf")
        #expect(load().mistakes.isEmpty)
    }

    @Test func aSectionOfSomebodyElsesIsPassedOverWithItsKeys() {
        folder.write("etc/belfry/belfry.conf", "[X-Theirs]\nKey=1\nDuration=7s\n[Ring]\nX-Own=1\nDuration=8s\n")
        #expect(load().mistakes.isEmpty && load().settings.ringDuration == .seconds(8))
    }

    @Test func aFileAndAFolderThatCannotBeReadAreMistakes() throws {
        folder.write("etc/belfry/belfry.conf", "")
        let file = "\(folder.path)/etc/belfry/belfry.conf"
        try #require(unsafe unlink(file) == 0 && symlink(file, file) == 0)
        #expect(load().mistakes.map(\.code) == [.unreadable])
        let other = ConfigurationFolder()
        other.write("etc/other", "")
        try #require(unsafe symlink("\(other.path)/etc/belfry", "\(other.path)/etc/belfry") == 0)
        let loaded = SettingsLoader.load(environment: [:], machineRoot: "\(other.path)/etc")
        #expect(!loaded.mistakes.isEmpty && loaded.mistakes.allSatisfy { $0.code == .unreadable })
    }

    @Test func ofALongForeignWordEightyCharactersAreShown() {
        folder.write("etc/belfry/belfry.conf", "[Ring]\n\(String(repeating: "x", count: 100))=1\n")
        let detail = load().mistakes.first?.detail ?? ""
        #expect(detail.hasPrefix("there is no [Ring] \(String(repeating: "x", count: 80))…=, ignored"))
    }

    @Test func asManyDropInsAsAreReadAreReadAndNoMore() {
        for number in 0..<FileReader.dropInsMax {
            folder.write("etc/belfry/belfry.conf.d/\(1_000 + number).conf", "[Ring]\nMaxCalls=\(number % 20 + 1)\n")
        }
        #expect(load().mistakes.isEmpty && load().origin(of: .maxCalls) != .standard)
        folder.write("etc/belfry/belfry.conf.d/0.conf", "[Ring]\nMaxCalls=7\n")
        #expect(load().mistakes.map(\.code) == [.tooLarge] && load().origin(of: .maxCalls) == .standard)
    }

    @Test func ofASectionThatThereIsNotOneMistakeIsToldWhateverIsInIt() {
        folder.write("etc/belfry/belfry.conf", "[Rong]\nKey=1\nDuration=7s\n")
        #expect(load().mistakes.map(\.code) == [.unknownSection])
    }
}
