import BelfryProtocol
import BelfryTerms
import KeeperChannel

/// The notification centre of the app: its requests, the shown notifications, its badge. Source: Apple,
/// `UNUserNotificationCenter`.
///
/// It is kept in the state directory, so that all processes of the app see the same. An extension may use it until it
/// has replied: after that nothing changes, and functions with errors report that notifications are not allowed.
/// Completion handlers are called on a queue of the centre's.
open class UNUserNotificationCenter: NSObject {
    private let file = CenterFile()

    nonisolated(unsafe) private static let shared = UNUserNotificationCenter()

    private override init() { super.init() }

    /// The centre of this app.
    open class func current() -> UNUserNotificationCenter { unsafe shared }

    /// Called about events while the app is in front; never in an extension.
    open weak var delegate: (any UNUserNotificationCenterDelegate)?

    /// Whether notifications can have a view of the app's: here they cannot.
    open var supportsContentExtensions: Bool { false }

    /// Asks whether the app may notify: it may.
    @preconcurrency open func requestAuthorization(
        options: UNAuthorizationOptions = [], completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        file.perform { completionHandler(true, nil) }
    }

    /// Asks whether the app may notify: it may.
    open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool { true }

    /// Sets the kinds of notification that the app has.
    open func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        let kept = categories.sorted { $0.identifier < $1.identifier }.prefix(CenterState.categoriesMax).map(\.bytes)
        guard isAllowed("setNotificationCategories") else { return }
        file.change { $0.categories = kept }
    }

    /// The kinds of notification that the app has.
    @preconcurrency open func getNotificationCategories(
        completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void
    ) {
        file.read { completionHandler(Set($0.categories.compactMap(UNNotificationCategory.init))) }
    }

    /// The kinds of notification that the app has.
    open func notificationCategories() async -> Set<UNNotificationCategory> {
        Set(await file.state().categories.compactMap(UNNotificationCategory.init))
    }

    /// What the app may do.
    @preconcurrency
    open func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {
        file.perform { completionHandler(UNNotificationSettings(authorizationStatus: .authorized)) }
    }

    /// What the app may do.
    open func notificationSettings() async -> UNNotificationSettings {
        UNNotificationSettings(authorizationStatus: .authorized)
    }

    /// Requests a notification, at once or by its trigger; it replaces one with the same identifier.
    @preconcurrency open func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let stored = StoredRequest(request, at: Date())
        if let error = error(in: request) { return file.perform { completionHandler?(error) } }
        KeeperDoor.ask(stored.asked)
        file.change {
            $0.add(stored)
        } then: {
            completionHandler?(nil)
        }
    }

    /// Requests a notification, at once or by its trigger; it replaces one with the same identifier.
    open func add(_ request: UNNotificationRequest) async throws {
        let stored = StoredRequest(request, at: Date())
        if let error = error(in: request) { throw error }
        KeeperDoor.ask(stored.asked)
        await file.changeAndWait { $0.add(stored) }
    }

    /// The requests that wait for their trigger.
    @preconcurrency open func getPendingNotificationRequests(
        completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
    ) {
        file.read { completionHandler($0.pending.map(\.request)) }
    }

    /// The requests that wait for their trigger.
    open func pendingNotificationRequests() async -> [UNNotificationRequest] {
        await file.state().pending.map(\.request)
    }

    /// Removes waiting requests.
    open func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        remove(identifiers, "removePendingNotificationRequests", isShown: false) { $0.removePending(identifiers) }
    }

    /// Removes all waiting requests.
    open func removeAllPendingNotificationRequests() {
        remove(nil, "removeAllPendingNotificationRequests", isShown: false) { $0.removePending(nil) }
    }

    /// The notifications that are shown.
    @preconcurrency
    open func getDeliveredNotifications(completionHandler: @escaping @Sendable ([UNNotification]) -> Void) {
        file.read { completionHandler($0.delivered.map(\.notification)) }
    }

    /// The notifications that are shown.
    open func deliveredNotifications() async -> [UNNotification] {
        await file.state().delivered.map(\.notification)
    }

    /// Removes shown notifications.
    open func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        remove(identifiers, "removeDeliveredNotifications", isShown: true) { $0.removeDelivered(identifiers) }
    }

    /// Removes all shown notifications.
    open func removeAllDeliveredNotifications() {
        remove(nil, "removeAllDeliveredNotifications", isShown: true) { $0.removeDelivered(nil) }
    }

    /// Sets the app's badge; 0 removes it.
    @preconcurrency open func setBadgeCount(
        _ newBadgeCount: Int, withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        if let error = badgeError(newBadgeCount) { return file.perform { completionHandler?(error) } }
        file.change {
            $0.badge = Int64(newBadgeCount)
        } then: {
            completionHandler?(nil)
        }
    }

    /// Sets the app's badge; 0 removes it.
    open func setBadgeCount(_ newBadgeCount: Int) async throws {
        if let error = badgeError(newBadgeCount) { throw error }
        await file.changeAndWait { $0.badge = Int64(newBadgeCount) }
    }
}

extension UNUserNotificationCenter {
    /// Records that the keeper shows `content` for the push `identifier`.
    package func showed(_ identifier: String, _ content: UNNotificationContent) {
        let request = UNNotificationRequest(
            identifier: identifier, content: content, trigger: UNPushNotificationTrigger())
        let stored = StoredRequest(request, at: Date())
        let badge = stored.content.badge
        file.change { state in
            state.deliver(stored)
            if let badge { state.badge = badge }
        }
    }

    /// Waits until everything that was asked for so far is done.
    package func finish() { file.finish() }

    private func isAllowed(_ what: String) -> Bool {
        if KeeperDoor.isCenterOpen { return true }
        KeeperDoor.warn(.centerAfterReply, "UNUserNotificationCenter.\(what)")
        return false
    }

    private func error(in request: UNNotificationRequest) -> UNError? {
        guard isAllowed("add") else { return UNError(.notificationsNotAllowed) }
        let content = request.content
        let isEmpty = content.title.isEmpty && content.subtitle.isEmpty && content.body.isEmpty
        if isEmpty, content.sound == nil, content.badge == nil { return UNError(.notificationInvalidNoContent) }
        if let trigger = request.trigger as? UNCalendarNotificationTrigger, trigger.nextTriggerDate() == nil {
            return UNError(.notificationInvalidNoDate)
        }
        return nil
    }

    private func badgeError(_ count: Int) -> UNError? {
        guard isAllowed("setBadgeCount") else { return UNError(.notificationsNotAllowed) }
        guard count >= 0 else { return UNError(.badgeInputInvalid) }
        KeeperDoor.ask(Asked(CodeWord(.badge), count: Int64(count), detail: "\(count)"))
        return nil
    }

    private func remove(
        _ identifiers: [String]?, _ what: String, isShown: Bool, _ body: @escaping @Sendable (inout CenterState) -> Void
    ) {
        guard isAllowed(what) else { return }
        var asked = Asked(CodeWord(.remove), detail: identifiers?.joined(separator: " ") ?? "all")
        // To the keeper an empty list means all notifications; an empty list of the code's means none.
        if isShown, identifiers != [] {
            asked.identifiers = Array((identifiers ?? []).prefix(KeeperEnd.identifiersMax))
        }
        KeeperDoor.ask(asked)
        file.change(body)
    }
}

/// Called about notifications while the app is in front; each method is optional. Source: Apple,
/// `UNUserNotificationCenterDelegate`.
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    /// A notification comes while the app is in front.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void)

    /// A notification comes while the app is in front.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions

    /// A person did something with a notification.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void)

    /// A person did something with a notification.
    func userNotificationCenter(_ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse) async

    /// A person wants the app's own settings.
    func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?)
}

extension UNUserNotificationCenterDelegate {
    /// Shows nothing.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        completionHandler([])
    }

    /// Shows nothing.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions { [] }

    /// Does nothing.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        completionHandler()
    }

    /// Does nothing.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async {}

    /// Does nothing.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?
    ) {}
}
