import AVFAudio
import BelfryAppleGround
import ForeignSurface
import KeeperChannel
import Support
import Testing

/// The audio session: what is kept and read back, and what it refuses.
@Suite struct AudioSessionTests {
    private let folder = TemporaryFolder()
    private let session = AVAudioSession()

    private var app: KeeperDoor { KeeperDoor.openForApp(stateDirectory: folder.path, bundle: folder.path) }

    private func code(_ body: () throws -> Void) -> AVAudioSession.ErrorCode? {
        do {
            try body()
            return nil
        } catch {
            #expect((error as NSError).domain == "NSOSStatusErrorDomain")
            return AVAudioSession.ErrorCode(rawValue: (error as NSError).code)
        }
    }

    @Test("category, mode, options and preferences are kept and read back") func kept() throws {
        #expect(session.category == .soloAmbient && session.mode == .default && session.categoryOptions.isEmpty)
        try configure(session, video: true)
        #expect(session.category == .playAndRecord && session.mode == .videoChat)
        #expect(session.categoryOptions == [.allowBluetoothHFP, .allowBluetoothA2DP])
        #expect(session.preferredSampleRate == 44_100 && session.preferredIOBufferDuration == 0.005)
        try session.setCategory(.playback)
        #expect(session.categoryOptions.isEmpty && session.mode == .videoChat)
        try session.setCategory(.playback, mode: .moviePlayback, policy: .longFormVideo)
        #expect(session.routeSharingPolicy == .longFormVideo && session.mode == .moviePlayback)
    }

    @Test("a name of no category or mode, and a preference out of range, are refused, and nothing changes")
    func unknown() throws {
        let other = AVAudioSession()
        try other.setCategory(.record)
        let microphone = try #require(other.availableInputs?.first)
        let isBad = AVAudioSession.ErrorCode.badParam
        #expect(code { try session.setCategory(AVAudioSession.Category(rawValue: "Loud")) } == isBad)
        #expect(code { try session.setCategory(.record, mode: AVAudioSession.Mode(rawValue: "")) } == isBad)
        #expect(code { try session.setMode("AVAudioSessionModeShout") } == isBad)
        #expect(code { try session.setPreferredSampleRate(.nan) } == isBad)
        #expect(code { try session.setPreferredIOBufferDuration(-1) } == isBad)
        #expect(code { try session.setPreferredOutputNumberOfChannels(3) } == isBad)
        #expect(code { try session.setPreferredInput(microphone) } == isBad)
        #expect(session.category == .soloAmbient && session.mode == .default)
    }

    @Test("the spellings of Swift 3 and 4 set the same") func ofOld() {
        configureOfOld(session)
        #expect(session.category == AVAudioSessionCategoryPlayAndRecord && session.mode != AVAudioSessionModeDefault)
        #expect(session.categoryOptions == AVAudioSessionCategoryOptions.defaultToSpeaker && isLoud(session))
    }

    @Test("the route is a telephone's: its receiver for a call, and its microphone where the category records")
    func route() throws {
        #expect(session.currentRoute.inputs.isEmpty && session.currentRoute.outputs.first?.portType == .builtInSpeaker)
        try configure(session, video: false)
        #expect(session.currentRoute.outputs.map(\.portType) == [.builtInReceiver])
        let microphone = try #require(session.availableInputs?.first)
        try session.setPreferredInput(microphone)
        #expect(session.preferredInput?.portType == .builtInMic && session.inputNumberOfChannels == 1)
        try session.setPreferredInput(nil)
        #expect(session.preferredInput == nil)
    }

    @Test("only the system activates and deactivates; a loudspeaker that cannot be had is refused") func activation() {
        let audio = CallAudio()
        audio.run {
            app.run {
                #expect(code { try session.setActive(false) } == nil)
                #expect(code { try session.setActive(true) } == .insufficientPriority)
                audio.activated(misfit: nil)
                #expect(code { try session.setActive(true) } == nil)
                #expect(code { try session.setActive(false, options: .notifyOthersOnDeactivation) } == .isBusy)
                audio.deactivated()
                #expect(code { try session.setActive(false) } == nil)
                #expect(code { try session.overrideOutputAudioPort(.none) } == nil)
                #expect(code { try session.overrideOutputAudioPort(.speaker) } == .resourceNotAvailable)
            }
        }
    }

    @Test("an engine is connected and prepared, and fails to start, since there is no audio unit") func engine() {
        CallAudio().run {
            app.run {
                let engine = CallEngine()
                #expect(engine.words == ["1", "2", "2", "false", "true"])
                do {
                    try engine.start()
                    Issue.record("an engine that starts would be silent")
                } catch let error as NSError {
                    #expect(error.domain == "com.apple.coreaudio.avfaudio" && error.code == -10_875)
                }
                engine.stop()
                #expect(engine.words == ["1", "2", "false", "false"] && engine.buffers == 0)
                #expect(AVAudioEngine().outputNode.numberOfInputs == 1 && AVAudioMixerNode().engine == nil)
            }
        }
    }

    @Test("an app may record and is not asked; an extension may not") func recording() async {
        let own = KeeperDoor.open(KeeperGreeting(stateDirectory: folder.path, memoryBytesMax: 1)) { _ in }
        for (door, isGranted) in [(app, true), (own, false)] {
            await door.run {
                #expect(session.recordPermission == (isGranted ? .granted : .denied))
                #expect(AVAudioApplication.shared.recordPermission == (isGranted ? .granted : .denied))
                #expect(await AVAudioApplication.requestRecordPermission() == isGranted)
                let answer = await withCheckedContinuation { continuation in
                    session.requestRecordPermission { continuation.resume(returning: $0) }
                }
                #expect(answer == isGranted)
                let other = await withCheckedContinuation { continuation in
                    AVAudioApplication.requestRecordPermission { continuation.resume(returning: $0) }
                }
                #expect(other == isGranted)
            }
            door.close()
        }
    }

    @Test("notifications have the names, keys and numbers that apps read") func notifications() {
        let watch = AudioWatch()
        NotificationCenter.default.post(
            name: .AVAudioSessionInterruption, object: session,
            userInfo: [
                AVAudioSessionInterruptionTypeKey: AVAudioSession.InterruptionType.ended.rawValue,
                AVAudioSessionInterruptionOptionKey: AVAudioSession.InterruptionOptions.shouldResume.rawValue,
            ])
        NotificationCenter.default.post(
            name: AVAudioSession.routeChangeNotification, object: session,
            userInfo: [AVAudioSessionRouteChangeReasonKey: AVAudioSession.RouteChangeReason.override.rawValue])
        #expect(watch.seen == ["ended true", "route override"])
    }

    @Test("an app may use sound without asking, and no camera, since there is none") func capture() async {
        let answers = AsyncStream<Bool>.makeStream()
        var heard = answers.stream.makeAsyncIterator()
        app.run {
            #expect(AVCaptureDevice.authorizationStatus(for: .audio) == .authorized)
            #expect(AVCaptureDevice.authorizationStatus(for: .video) == .denied)
            #expect(AVCaptureDevice.default(for: .video) == nil && AVCaptureDevice.devices(for: .audio).isEmpty)
            mayCall(video: false) { answers.continuation.yield($0) }
        }
        #expect(await heard.next() == true)
        app.run { mayCall(video: true) { answers.continuation.yield($0) } }
        #expect(await heard.next() == false)
    }

    @Test("inputs have nothing to choose from") func dataSources() throws {
        #expect(session.inputDataSources == nil && session.inputDataSource == nil)
        #expect(session.outputDataSources == nil && session.outputDataSource == nil)
        let port = try #require(session.currentRoute.outputs.first)
        #expect(port.dataSources == nil && port.selectedDataSource == nil && port.preferredDataSource == nil)
        try port.setPreferredDataSource(nil)
    }
}
