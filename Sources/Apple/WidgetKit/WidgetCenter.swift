import BelfryAppleGround
import BelfryTerms
@_exported public import Foundation
import KeeperChannel

/// The widgets of the app. This machine draws none: requests are only reported to the keeper. Source: Apple,
/// `WidgetCenter`.
public final class WidgetCenter: Sendable {
    /// The only one.
    public static let shared = WidgetCenter()

    private init() {}

    /// Asks to draw all widgets again.
    public func reloadAllTimelines() { KeeperDoor.ask(Asked(CodeWord(.widgets), detail: "all")) }

    /// Asks to draw the widgets of this kind again.
    public func reloadTimelines(ofKind kind: String) { KeeperDoor.ask(Asked(CodeWord(.widgets), detail: kind)) }
}
