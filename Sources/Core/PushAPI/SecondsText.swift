/// A number of seconds for people.
enum SecondsText {
    /// Such as `30 s`, `61 min`, `3 h`, `12 days`: the largest unit of which there are two or more; what is left of it
    /// is not told.
    static func text(_ seconds: Double) -> String {
        guard seconds < 1e12 else { return "ages" }
        let whole = Int64(max(0, seconds))
        if whole < 120 { return "\(whole) s" }
        if whole < 2 * 3_600 { return "\(whole / 60) min" }
        if whole < 2 * 86_400 { return "\(whole / 3_600) h" }
        return "\(whole / 86_400) days"
    }
}
