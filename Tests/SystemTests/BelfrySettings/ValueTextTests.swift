@testable import BelfrySettings
import BelfryTerms
import Testing

@Suite struct ValueTextTests {
    @Test(arguments: [
        ("30s", 30_000_000), ("1500ms", 1_500_000), ("1min", 60_000_000), ("1min 30s", 90_000_000),
        ("1min30s", 90_000_000), ("2", 2_000_000), ("0.5", 500_000), (".5", 500_000), ("1.25s", 1_250_000),
        ("0", 0), ("250us", 250), ("7µs", 7), ("1h", 3_600_000_000), (" 3 s ", 3_000_000), ("2 sec", 2_000_000),
        ("0.0000019", 1), ("1d", 86_400_000_000),
    ])
    func durationsReadAsSystemdWritesThem(text: String, microseconds: Int64) {
        #expect(ValueText.duration(text) == TimeSpan(microseconds: microseconds))
    }

    @Test(arguments: [
        "", " ", "s", "-1", "-1s", "+1", "1e300", "1e3", "nan", "NaN", "inf", "infinity", "99999999999999999999s",
        "99999999999999999999", "9223372036854775807us", "9223372036854775807d", "1.", "1.s", "1 30", "30s 5", "30 s s",
        "0x10", "30S", "1,5", "1..5", "٣s", "30\u{0}s", "101y", "36600d 1us", "1s\n",
    ])
    func whatIsNoDurationIsRefused(text: String) {
        #expect(ValueText.duration(text) == nil)
    }

    @Test func durationsHaveBounds() {
        #expect(ValueText.duration("200ms", from: .milliseconds(200), to: .seconds(10)) != nil)
        #expect(ValueText.duration("199ms", from: .milliseconds(200), to: .seconds(10)) == nil)
        #expect(ValueText.duration("10s", from: .milliseconds(200), to: .seconds(10)) != nil)
        #expect(ValueText.duration("10.000001s", from: .milliseconds(200), to: .seconds(10)) == nil)
        #expect(ValueText.duration("36600d") == .longest)
    }

    @Test(arguments: [("10M", 10 << 20), ("1K", 1024), ("1k", 1024), ("512", 512), ("1G", 1 << 30), ("0", 0)])
    func sizesTakeUnits(text: String, bytes: Int) {
        #expect(ValueText.size(text, in: 0...Int.max) == bytes)
    }

    @Test(arguments: ["", "K", "-1K", "1.5M", "1e3", "10MB", "99999999999999999999", "9223372036854775807G", "1 K"])
    func whatIsNoSizeIsRefused(text: String) {
        #expect(ValueText.size(text, in: 0...Int.max) == nil)
    }

    @Test func booleansReadAsSystemdReadsThem() {
        for text in ["yes", "YES", "y", "true", "T", "on", "1"] { #expect(ValueText.boolean(text) == true) }
        for text in ["no", "No", "n", "false", "f", "off", "0"] { #expect(ValueText.boolean(text) == false) }
        for text in ["", "2", "ja", "yes please", "oui"] { #expect(ValueText.boolean(text) == nil) }
    }

    @Test(arguments: ["ring", "a.wav", "my-ring_2", "none", "/usr/share/sounds/a b.oga"])
    func soundsAreNamesOrAbsolutePaths(text: String) {
        #expect(ValueText.sound(text) == text)
    }

    @Test(arguments: [
        "../ring", "a/b", ".hidden", "ring\u{1B}[2J", "/tmp/\n", "~/ring.wav", "ré", String(repeating: "x", count: 65),
    ])
    func otherSoundsAreRefused(text: String) {
        #expect(ValueText.sound(text) == nil)
    }

    @Test func aVolumeIsOneToAHundredPercent() {
        for (text, value) in [("1", 1), ("100%", 100), ("70%", 70)] { #expect(ValueText.percent(text) == value) }
        for text in ["0", "101", "", "%", "-1%", "70 %", "7.5%", "loud"] { #expect(ValueText.percent(text) == nil) }
    }

    @Test func aDeviceIsOneWord() {
        let name = "alsa_output.usb-Acme_0000:00-00.analog-stereo"
        #expect(ValueText.device(name) == name)
        for text in ["", "a b", "a\n", "é", String(repeating: "x", count: 257)] {
            #expect(ValueText.device(text) == nil)
        }
    }

    @Test func groupNamesAreBounded() {
        var settings = Settings()
        for text in ["group.a", String(repeating: "a", count: 128)] {
            #expect(settings.set(.appGroupName, to: text) && settings.appGroup == text)
        }
        let last = settings.appGroup
        for text in [String(repeating: "a", count: 129), ".a", "-a", "a/b", "a_b", "ä", "a\u{0}"] {
            #expect(!settings.set(.appGroupName, to: text) && settings.appGroup == last)
        }
    }

    @Test func whatIsWrittenReadsBack() {
        for microseconds: Int64 in [0, 1, 999, 1_000, 1_500_000, 30_000_000, 90_000_000] {
            let span = TimeSpan(microseconds: microseconds)
            #expect(ValueText.duration(ValueText.text(of: span)) == span)
        }
        for bytes in [0, 1, 1023, 1024, 1536, 10 << 20] {
            #expect(ValueText.size(ValueText.text(ofSize: bytes), in: 0...Int.max) == bytes)
        }
    }

    @Test func hostListsTakeNamesAddressesAndBlocks() {
        let hosts = "Pictures.example, 10.0.0.0/8  ::1 fe80::/10,192.168.1.7"
        #expect(
            HostList.parse(hosts, addresses: true)
                == ["pictures.example", "10.0.0.0/8", "::1", "fe80::/10", "192.168.1.7"]
        )
        #expect(HostList.parse(String(repeating: "a ", count: 64), addresses: false)?.count == 64)
    }

    @Test(arguments: [
        "http://a", "a/b", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "*.a", "a..b", "-a", "a\u{0}b",
        String(repeating: "a ", count: 65), String(repeating: "a", count: 64),
    ])
    func otherHostListsAreRefused(text: String) {
        #expect(HostList.parse(text, addresses: true) == nil)
    }
}
