/// What a sound server plays rings to, and what keeps them from being heard.
public struct SoundOutputs: Hashable, Sendable {
    /// A device, or what stands in for one.
    public struct Sink: Hashable, Sendable {
        /// Its name, as `pactl list short sinks` has it.
        public let name: String
        /// Whether it is muted.
        public let isMuted: Bool
        /// Whether its volume is 0.
        public let isSilent: Bool
        /// Whether it plays into nothing.
        public let isNull: Bool

        /// A sink.
        public init(name: String, isMuted: Bool = false, isSilent: Bool = false, isNull: Bool = false) {
            (self.name, self.isMuted, self.isSilent, self.isNull) = (name, isMuted, isSilent, isNull)
        }
    }

    /// The most sinks that are listed.
    static let sinksMax = 16
    /// The role of a ring's stream, by which the server remembers its volume. "phone" would cork music for good and may
    /// go to the call's own device.
    static let role = "event"

    /// The sinks, without the silent one that a server makes where there is no other.
    public var sinks: [Sink] = []
    /// The name of the one that is used where none is asked for.
    public var defaultName = ""
    /// What rings ask for.
    public var route = SoundRoute()
    /// Whether the server has the sounds of events muted: those of this process that it plays now, or all, as it
    /// remembers. PipeWire 0.3.65 learns of a stream that was muted by itself at its next start.
    public var isRoleMuted = false
    /// Whether it has their volume at 0.
    public var isRoleSilent = false

    /// No sinks.
    public init() {}

    /// The sink that is used; nil if there is none.
    public var used: Sink? { asked ?? sinks.first { $0.name == defaultName } ?? sinks.first }

    /// The device that rings ask for and that is not there; nil if it is there, or if they ask for none.
    public var missingDevice: String? { asked == nil ? route.device : nil }

    private var asked: Sink? { route.device.flatMap { device in sinks.first { $0.name == device } } }

    /// Why a ring is not heard though it is played, for people; nil if it is heard as far as the server knows.
    public var silence: String? {
        guard let used else { return nil }
        if used.isMuted { return "the sink \(used.name) is muted" }
        if used.isSilent { return "the volume of the sink \(used.name) is 0" }
        if isRoleMuted { return "the sound server has system sounds muted" }
        if isRoleSilent { return "the sound server has the volume of system sounds at 0" }
        return nil
    }

    /// What has it heard again, for people; nil if it is heard.
    public var remedy: String? {
        guard let used, silence != nil else { return nil }
        if used.isMuted { return "pactl set-sink-mute \(used.name) 0" }
        if used.isSilent { return "pactl set-sink-volume \(used.name) 70%" }
        return "raise System Sounds in a mixer such as pavucontrol while a call rings"
    }
}
