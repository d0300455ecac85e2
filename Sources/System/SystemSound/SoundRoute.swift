import BelfryTerms
import Glibc

/// Where rings are played to, and how loud, as an operator has it.
public struct SoundRoute: Hashable, Sendable {
    /// The name of a sink; nil for the one that the server uses where none is asked for.
    public let device: String?
    /// How loud, in percent as mixers show it, 1 to 100; nil for as loud as the server has the sounds of events.
    public let volumePercent: Int?

    /// A route; without `device` and `volumePercent` as the server has it.
    public init(device: String? = nil, volumePercent: Int? = nil) {
        precondition(volumePercent.map { (1...100).contains($0) } ?? true, "a volume of \(volumePercent ?? 0) %")
        (self.device, self.volumePercent) = (device, volumePercent)
    }

    /// The volume of a sound that is `attenuation` decibels quieter than a ring, in decibels as libcanberra reads it;
    /// nil for as loud as the server has it.
    ///
    /// PulseAudio's percent are cubic: 100 % is 0 dB, and 50 % is -18 dB (pa_sw_volume_to_linear).
    func decibels(attenuatedBy attenuation: Int) -> String? {
        guard volumePercent != nil || attenuation > 0 else { return nil }
        let base = volumePercent.map { 60 * log10(Double($0) / 100) } ?? 0
        return DecimalText.fixed(base - Double(attenuation), digits: 1)
    }
}
