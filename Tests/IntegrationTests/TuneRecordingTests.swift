import BelfryProtocol
import Glibc
import Support
import Testing

extension IntegrationTests.CallingApps {
    /// A phone whose app has a tune of seven seconds, of which half a second is silent.
    private func tunedPhone(_ ringtone: String = "tune.caf") throws -> Phone {
        var sample = SoundSample(.caf, milliseconds: 7_000)
        sample.pauseMilliseconds = 500
        try sample.write(to: "\(folder.makeFolder("Calling.app"))/tune.caf")
        return try phone("Ringtone", ringtone)
    }

    @Test("R6 a tune of 7 s sounds whole and again, and is silent within 100 ms of the answer") func tune() throws {
        let phone = try tunedPhone()
        #expect(Recording.waitUntilSilent())
        let recording = Recording()
        let client = try push(#""callId": "one""#, to: phone)
        #expect(try client.wait(for: "ringing").call == "one")
        #expect(recording.waitUntilHeard())
        for _ in 0..<2 { #expect(Recording.listening(forMilliseconds: 7_300) != nil) }
        // The third time has begun, and each was one sound: none was cut, and none left out.
        #expect(recording.bursts == 3, "\(recording.bursts) sounds")
        #expect(recording.peak < 0.5)
        try phone.belfry("answer", "one")
        #expect(try #require(Recording.peakFromNow()) == 0)
        #expect(client.story().suffix(1) == ["ended answered"])
        #expect(warnings(client).isEmpty)
    }

    @Test("R6 a tune that is not there leaves the configured sound") func missing() throws {
        let phone = try tunedPhone("../other.caf")
        let recording = Recording()
        let client = try push(#""callId": "one""#, to: phone)
        try client.wait(for: "ringing")
        #expect(recording.waitUntilHeard())
        try phone.belfry("decline", "one")
        #expect(client.story().suffix(2) == ["delivered app", "ended declined"])
    }
}
