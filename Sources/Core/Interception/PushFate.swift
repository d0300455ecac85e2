public import BelfryProtocol
public import BelfryTerms

/// Who acts on a push, as is decided once it is read (R1).
///
/// A push that is not intercepted reaches no extension, except two that take effect all the same: a voip call request,
/// for which the app itself would ring, and a hangup.
public enum PushFate: Sendable {
    /// The operator's extension gets it.
    case foreign
    /// The built-in service rings.
    case rings(CallRequest)
    /// A call that no extension could have rung for.
    case doesNotRing(CallRequest)
    /// A call ends.
    case hangsUp(Hangup)
    /// An ordinary notification, which the built-in service does not change.
    case unchanged
    /// An ordinary notification that nothing intercepts.
    case passedThrough

    /// The fate of `push`, which is not intercepted for `passthrough`; `hasForeign` says whether the operator has an
    /// extension.
    public init(of push: Push, _ passthrough: PassthroughReason?, hasForeign: Bool) {
        switch (push.call, passthrough) {
        case (_, nil) where hasForeign: self = .foreign
        case (.request(let call)?, nil), (.request(let call)?, .voip?): self = .rings(call)
        case (.request(let call)?, _?): self = .doesNotRing(call)
        case (.hangup(let hangup)?, _): self = .hangsUp(hangup)
        case (nil, nil): self = .unchanged
        case (nil, _?): self = .passedThrough
        }
    }

    /// Whether iOS would have rung on at a hangup that was not intercepted for `passthrough`.
    public static func ringsOnElsewhere(_ passthrough: PassthroughReason?) -> Bool {
        passthrough != nil && passthrough != .voip
    }
}
