import CallChannel
public import Foundation

/// What an app says of a call. Only what was assigned counts; the rest leaves the call as it is, or, of a new call, as
/// Apple's start: no video, everything else supported. Source: Apple, `CXCallUpdate`.
open class CXCallUpdate: NSObject, NSCopying, @unchecked Sendable {
    private var said = CallUpdate()
    private var saidHandle: CXHandle?

    /// An update that says nothing.
    public required override init() { super.init() }

    /// Who is at the other end.
    open var remoteHandle: CXHandle? {
        get { saidHandle }
        set {
            saidHandle = newValue
            said.handle = newValue.map { CallHandle($0) }
        }
    }

    /// The name of who is at the other end.
    open var localizedCallerName: String? {
        get { said.name }
        set { said.name = newValue }
    }

    /// Whether it can be held.
    open var supportsHolding: Bool {
        get { said.supportsHolding ?? false }
        set { said.supportsHolding = newValue }
    }

    /// Whether it can join a group.
    open var supportsGrouping: Bool {
        get { said.supportsGrouping ?? false }
        set { said.supportsGrouping = newValue }
    }

    /// Whether it can leave its group.
    open var supportsUngrouping: Bool {
        get { said.supportsUngrouping ?? false }
        set { said.supportsUngrouping = newValue }
    }

    /// Whether it takes tones.
    open var supportsDTMF: Bool {
        get { said.supportsDTMF ?? false }
        set { said.supportsDTMF = newValue }
    }

    /// Whether it is a video call.
    open var hasVideo: Bool {
        get { said.hasVideo ?? false }
        set { said.hasVideo = newValue }
    }

    /// What was assigned.
    var value: CallUpdate { said }

    /// Another update that says the same.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CXCallUpdate()
        (copy.said, copy.saidHandle) = (said, saidHandle)
        return copy
    }
}

extension CallHandle {
    init(_ handle: CXHandle) {
        let kind: Kind =
            switch handle.type {
            case .generic: .generic
            case .phoneNumber: .phoneNumber
            case .emailAddress: .emailAddress
            }
        self.init(kind, handle.value)
    }
}
