public import BelfryAppGroup
public import BelfryEventLoop
import BelfryJSON
import BelfryPropertyList
public import BelfryProtocol
public import BelfryTerms

/// What the notification centre of an extension's app shows of one notification, as `getDeliveredNotifications` has it.
///
/// A reply that is shown is recorded by the extension's process, before anything can ask for it. The worker records the
/// rest: what was delivered as it came, and the badge of what nothing is shown of.
public final class ShownInCentre {
    /// How many notifications a centre shows; then the oldest are removed.
    public static let shownMax = 64
    /// How many bytes of them are kept.
    public static let bytesMax = 192 << 10
    /// The first second of a property list's dates, in Unix time.
    private static let referenceSeconds = 978_307_200.0

    private let file: GroupFile
    private let timers: any TimerSource
    private let wall: () -> WallTime
    private var identifier = ""
    private var showsItself = false
    private var isOriginal = false
    private var isWriting = false
    private var whenWritten: [() -> Void] = []

    /// Of a notification that an app may get, whose centre is kept in the state directory `state`.
    ///
    /// - Parameter app: the app's name, as ``ExtensionBundle/app`` has it.
    public init(
        of app: GroupName, in state: StateDirectory, timers: any TimerSource, wall: @escaping () -> WallTime
    ) {
        file = GroupFile(state: StateDirectory(path: "\(state.path)/centers"), group: app)
        self.timers = timers
        self.wall = wall
    }

    /// Takes an event of the notification.
    public func heard(_ event: Event) {
        switch event.body {
        case .received(let received):
            identifier = received.collapseID ?? event.id
            showsItself = received.type.known == .alert
        case .extensionProcess: showsItself = true
        case .warning(let code, _) where code.known == .noAlertText: isOriginal = true
        case .delivered(let by, let content, let isShown):
            guard by.known != .extension || isOriginal || !isShown else { return }
            record(content, isShown: isShown && showsItself && content.hasAlertText)
        default: break
        }
    }

    /// Calls `then` once it is recorded; perhaps before this returns.
    public func finish(_ then: @escaping () -> Void) {
        if isWriting { whenWritten.append(then) } else { then() }
    }

    private func record(_ content: NotificationContent, isShown: Bool) {
        guard isShown || content.badge != nil else { return }
        isWriting = true
        let record = record(of: content)
        file.transact(on: timers) { [identifier] edit in
            if isShown { edit.root["delivered"] = Self.shown(edit.root["delivered"], and: record, as: identifier) }
            if let badge = content.badge { edit.root["badge"] = .integer(badge) }
        } completion: { [self] _ in
            isWriting = false
            let waiting = whenWritten
            whenWritten = []
            for then in waiting { then() }
        }
    }

    private func record(of content: NotificationContent) -> [UInt8] {
        let record: JSONObject = [
            "identifier": .string(identifier),
            "date": .real(Double(wall().microseconds) / 1_000_000 - Self.referenceSeconds),
            "content": .object(content.json), "trigger": "push",
        ]
        return record.serialized()
    }

    /// `shown` with `record` as the newest, in place of one of the same identifier.
    private static func shown(
        _ shown: PropertyListValue?, and record: [UInt8], as identifier: String
    ) -> PropertyListValue {
        var records = (shown?.arrayValue ?? []).compactMap { value -> [UInt8]? in
            guard case .data(let bytes) = value,
                let other = (try? JSONValue.parse(bytes, limits: .aroundForeignValue))?.objectValue
            else { return nil }
            return other["identifier"]?.stringValue == identifier ? nil : bytes
        }
        records.append(record)
        var bytes = 0
        let kept = records.reversed().prefix(shownMax).filter { record in
            guard bytes + record.count <= bytesMax else { return false }
            bytes += record.count
            return true
        }
        return .array(kept.reversed().map { .data($0) })
    }
}
