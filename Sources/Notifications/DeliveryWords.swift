/// Why the extension did not run (R1): `received.why`.
public enum PassthroughReason: String, Hashable, Sendable, CaseIterable {
    /// `mutable-content` is not set.
    case noMutableContent = "no-mutable-content"
    /// The alert has neither title nor subtitle nor body.
    case noAlertText = "no-alert-text"
    /// A background push has no alert to change.
    case background
    /// A voip push goes to the app, never to an extension.
    case voip
}

/// Who handed the content over: `delivered.by`.
public enum Deliverer: String, Hashable, Sendable, CaseIterable {
    /// The extension called its content handler.
    case `extension`
    /// Nothing intercepted it; the content is as it came.
    case passthrough
    /// The budget ran out first; the content is as it came.
    case expiry
    /// The extension died first; the content is as it came.
    case crash
    /// The worker was told to stop; the best attempt until then.
    case stopped
}
