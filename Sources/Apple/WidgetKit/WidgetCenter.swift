import BelfryAppleGround
import BelfryTerms
@_exported public import Foundation
import HostChannel

/// The widgets of the app, of which this machine draws none: what is asked of them is told to the host. Source: Apple,
/// `WidgetCenter`.
public final class WidgetCenter: Sendable {
    /// The one there is.
    public static let shared = WidgetCenter()

    private init() {}

    /// Has each widget drawn anew.
    public func reloadAllTimelines() { HostDoor.ask(Asked(CodeWord(.widgets), detail: "all")) }

    /// Has the widgets of this kind drawn anew.
    public func reloadTimelines(ofKind kind: String) { HostDoor.ask(Asked(CodeWord(.widgets), detail: kind)) }
}
