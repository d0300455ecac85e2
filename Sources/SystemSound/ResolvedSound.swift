/// A sound file that was found and looked at, ready to be played.
public struct ResolvedSound: Hashable, Sendable {
    /// How it was asked for: a bare name or a path.
    public let name: String
    /// The file.
    public let path: String
    /// By how many decibels it is played quieter than it is; never negative.
    public let attenuationDecibels: Int

    /// A sound.
    public init(name: String, path: String, attenuationDecibels: Int = 0) {
        precondition(attenuationDecibels >= 0, "an attenuation of \(attenuationDecibels) dB would be louder")
        self.name = name
        self.path = path
        self.attenuationDecibels = attenuationDecibels
    }
}
