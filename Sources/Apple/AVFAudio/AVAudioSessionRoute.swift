import BelfryAppleGround

extension AVAudioSession {
    /// A kind of input or output. Source: Apple, `AVAudioSession.Port`.
    public struct Port: RawRepresentable, Hashable, Sendable {
        /// Apple's name.
        public let rawValue: String

        /// The kind of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A line's input.
        public static let lineIn = Port(rawValue: "LineIn")
        /// The telephone's microphone.
        public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
        /// The microphone of a headset on a wire.
        public static let headsetMic = Port(rawValue: "MicrophoneWired")
        /// A line's output.
        public static let lineOut = Port(rawValue: "LineOut")
        /// Headphones on a wire.
        public static let headphones = Port(rawValue: "Headphones")
        /// A speaker by Bluetooth.
        public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
        /// What is held to an ear.
        public static let builtInReceiver = Port(rawValue: "Receiver")
        /// The telephone's speaker.
        public static let builtInSpeaker = Port(rawValue: "Speaker")
        /// A screen.
        public static let HDMI = Port(rawValue: "HDMIOutput")
        /// A speaker on the network.
        public static let airPlay = Port(rawValue: "AirPlay")
        /// A device by Bluetooth Low Energy.
        public static let bluetoothLE = Port(rawValue: "BluetoothLE")
        /// A headset by Bluetooth.
        public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
        /// A device at the serial bus.
        public static let usbAudio = Port(rawValue: "USBAudio")
        /// A car.
        public static let carAudio = Port(rawValue: "CarAudio")
    }
}

/// An input or output, as a value. Source: Apple, `AVAudioSessionPortDescription`.
open class AVAudioSessionPortDescription: NSObject, @unchecked Sendable {
    /// Its kind.
    public let portType: AVAudioSession.Port
    /// Its name for people.
    public let portName: String
    /// Its name for programs.
    public let uid: String

    init(_ portType: AVAudioSession.Port, name: String) {
        self.portType = portType
        portName = name
        uid = "Built-In \(name)"
        super.init()
    }

    /// False.
    open var hasHardwareVoiceCallProcessing: Bool { false }
    /// Nil: there is nothing to choose from.
    open var dataSources: [AVAudioSessionDataSourceDescription]? { nil }
    /// Nil: there is nothing to choose from.
    open var selectedDataSource: AVAudioSessionDataSourceDescription? { nil }
    /// Nil: there is nothing to choose from.
    open var preferredDataSource: AVAudioSessionDataSourceDescription? { nil }

    /// - Throws: `badParam` for any but nil: there is nothing to choose from.
    open func setPreferredDataSource(_ dataSource: AVAudioSessionDataSourceDescription?) throws {
        if dataSource != nil { throw AVAudioSession.ErrorCode.badParam.error }
    }

    static let microphone = AVAudioSessionPortDescription(.builtInMic, name: "Microphone")
    static let receiver = AVAudioSessionPortDescription(.builtInReceiver, name: "Receiver")
    static let speaker = AVAudioSessionPortDescription(.builtInSpeaker, name: "Speaker")
}

/// Where sound comes from and goes to, as a value. Source: Apple, `AVAudioSessionRouteDescription`.
open class AVAudioSessionRouteDescription: NSObject, @unchecked Sendable {
    /// Where it comes from.
    public let inputs: [AVAudioSessionPortDescription]
    /// Where it goes to.
    public let outputs: [AVAudioSessionPortDescription]

    init(inputs: [AVAudioSessionPortDescription], outputs: [AVAudioSessionPortDescription]) {
        self.inputs = inputs
        self.outputs = outputs
        super.init()
    }
}

/// One of several microphones of an input: there is none. Source: Apple, `AVAudioSessionDataSourceDescription`.
open class AVAudioSessionDataSourceDescription: NSObject, @unchecked Sendable {
    /// Its number.
    public let dataSourceID: NSNumber
    /// Its name for people.
    public let dataSourceName: String

    init(_ number: Int, name: String) {
        dataSourceID = NSNumber(value: number)
        dataSourceName = name
        super.init()
    }
}
