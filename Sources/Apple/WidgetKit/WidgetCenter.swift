import BelfryAppleGround
import BelfryTerms
@_exported public import Foundation
import KeeperChannel

/// The widgets of the app, of which this machine draws none: what is asked of them is told to the keeper. Source:
/// Apple, `WidgetCenter`.
public final class WidgetCenter: Sendable {
    /// The one there is.
    public static let shared = WidgetCenter()

    private init() {}

    /// Has each widget drawn anew.
    public func reloadAllTimelines() { KeeperDoor.ask(Asked(CodeWord(.widgets), detail: "all")) }

    /// Has the widgets of this kind drawn anew.
    public func reloadTimelines(ofKind kind: String) { KeeperDoor.ask(Asked(CodeWord(.widgets), detail: kind)) }
}
