import AudioToolbox
import Support
import Testing

/// Sounds as far as no host is needed.
@Suite struct AudioServicesTests {
    private let folder = TemporaryFolder()

    private func sound() throws -> SystemSoundID {
        var sound: SystemSoundID = 0
        let url = URL(fileURLWithPath: folder.write([1], to: "ring.mp3")) as CFURL
        #expect(unsafe AudioServicesCreateSystemSoundID(url, &sound) == kAudioServicesNoError)
        return sound
    }

    @Test("a sound is made of a file that is there, and forgotten once")
    func makes() throws {
        let (first, second) = (try sound(), try sound())
        #expect(first != second && first > kSystemSoundID_UserPreferredAlert)
        #expect(AudioServicesDisposeSystemSoundID(first) == kAudioServicesNoError)
        #expect(AudioServicesDisposeSystemSoundID(first) == kAudioServicesSystemSoundUnspecifiedError)
        AudioServicesDisposeSystemSoundID(second)
        var none: SystemSoundID = 7
        let absent = URL(fileURLWithPath: folder.path + "/absent.wav") as CFURL
        #expect(unsafe AudioServicesCreateSystemSoundID(absent, &none) == kAudioServicesSystemSoundUnspecifiedError)
        let web = try #require(NSURL(string: "https://a.b/c.wav"))
        #expect(unsafe AudioServicesCreateSystemSoundID(web, &none) == kAudioServicesSystemSoundUnspecifiedError)
        #expect(none == 7)
    }

    @Test("properties are 32-bit numbers, and what is wrong has Apple's number")
    func properties() throws {
        var (sound, value, size, writable) = (try sound(), UInt32(0), UInt32(0), DarwinBoolean(false))
        defer { AudioServicesDisposeSystemSoundID(sound) }
        let property = kAudioServicesPropertyIsUISound
        #expect(unsafe AudioServicesGetPropertyInfo(property, 4, &sound, &size, &writable) == 0)
        #expect(size == 4 && writable.boolValue)
        #expect(unsafe AudioServicesSetProperty(property, 4, &sound, 4, &value) == 0)
        value = 9
        #expect(unsafe AudioServicesGetProperty(property, 4, &sound, &size, &value) == 0 && value == 0)
        size = 2
        #expect(
            unsafe AudioServicesGetProperty(property, 4, &sound, &size, &value) == kAudioServicesBadPropertySizeError)
        #expect(unsafe AudioServicesSetProperty(property, 4, &sound, 8, &value) == kAudioServicesBadPropertySizeError)
        #expect(unsafe AudioServicesSetProperty(property, 0, nil, 4, &value) == kAudioServicesBadSpecifierSizeError)
        #expect(unsafe AudioServicesSetProperty(1, 4, &sound, 4, &value) == kAudioServicesUnsupportedPropertyError)
        #expect(kAudioServicesUnsupportedPropertyError == 0x7074_793F && kSystemSoundID_Vibrate == 4095)
    }
}
