import BelfrySettings
import BelfryTerms

/// How long waits last that do not say so.
package struct Patience: Sendable {
    /// The variable by which whoever runs tests on a slow machine makes them wait longer.
    static let variable = "BELFRY_TEST_PATIENCE"

    /// For one event.
    package let forOne: Duration
    /// For the end of a notification, which may take all of its time.
    let forAll: Duration

    /// That of a bell: of `settings`, or of `environment` if that is longer or `settings` says nothing. The budget of a
    /// notification is `budget`.
    init(
        _ settings: Duration?, environment: [String: String], budget: TimeSpan
    ) throws(BellError) {
        if let settings, settings <= .zero {
            throw BellError(.badSetting, "patience=\(settings): expected a duration of more than 0")
        }
        let said = try Self.said(in: environment)
        forOne =
            switch (settings, said) {
            case (let settings?, let said?): max(settings, said)
            case (let patience?, nil), (nil, let patience?): patience
            case (nil, nil): BellPush.patience
            }
        forAll = forOne + .microseconds(budget.microseconds)
    }

    /// Seconds from 0.001 to 86,400, with or without an `s` behind them.
    private static func said(in environment: [String: String]) throws(BellError) -> Duration? {
        guard let text = environment[variable], !text.isEmpty else { return nil }
        let number = text.hasSuffix("s") ? text.dropLast() : text[...]
        guard let seconds = Double(number), (0.001...86_400).contains(seconds) else {
            throw BellError(
                .badSetting, "\(variable)=\(Printable.escaped(text)): expected seconds from 0.001 to 86400, such as 60")
        }
        return .seconds(seconds)
    }
}
