import BelfryTesting

extension BellSettings {
    /// Calls ring as long as they may: Swift Testing begins all tests before it lets one go on, so that on a busy
    /// machine a ring of 30 s ends before its test has its next turn.
    static let longRings = BellSettings(ringDuration: .seconds(120), expiryBudget: .seconds(120))

    /// The same, and what `change` says.
    static func longRings(_ change: (inout BellSettings) -> Void) -> BellSettings {
        var settings = longRings
        change(&settings)
        return settings
    }
}
