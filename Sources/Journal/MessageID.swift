/// The fixed id of each kind of entry, by which `journalctl MESSAGE_ID=…` and message catalogs find it.
///
/// They never change: people write them into their filters. A tick has none, since it has no entry.
public enum MessageID: String, Hashable, Sendable, CaseIterable {
    /// `received`
    case received = "e0688f901c994fd885328c0a2c1b5028"
    /// `ringing`
    case ringing = "60e6a2c449584f6084793ce031cbb833"
    /// `silent`
    case silent = "e41478cc7d8d402b8ed89bb76d487d24"
    /// `sound`
    case sound = "08cf5e028e40425195d639f5a347cbb1"
    /// `attachment`
    case attachment = "8e897070a82d4c03b8367ba95d4b428a"
    /// `delivered`
    case delivered = "abe8f1a54e514cf6b6f69f88adc17862"
    /// `ended`
    case ended = "f87178349245485a87ae2545a3a447c9"
    /// `missed`
    case missed = "748c4c9ab10c4fe4945f80050f052db8"
    /// `warning`
    case warning = "2644c7b3312a401e9aa3f2c415c6a341"
    /// `rejected`
    case rejected = "8a96d87bf01f418199e0a5c21b009200"
}
