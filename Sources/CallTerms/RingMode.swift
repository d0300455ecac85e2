/// How a call rings: `ringing.mode`.
public enum RingMode: String, Hashable, Sendable, CaseIterable {
    /// With the ring sound and vibration.
    case loud
    /// With a quieter tone and without vibration, while another call rings loud.
    case soft
    /// On the screen alone.
    case silent
}
