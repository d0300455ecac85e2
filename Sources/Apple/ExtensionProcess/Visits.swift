import BelfryAppleGround
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import KeeperChannel
import UserNotifications

/// The notifications of this process: hands each to its own object on its own thread, and sends the results to the
/// keeper.
final class Visits: @unchecked Sendable {
    private let channel: ProcessChannel
    private let makeService: @Sendable () -> BelfryServiceExtension
    /// Set if the extension runs in another process than its own.
    private let lodging: Lodging?
    /// Touched only by the reading thread: opened by the keeper's first message.
    private var door: KeeperDoor?
    /// Touched only by the reading thread: objects whose expiry call may still come, or whose code runs.
    private var visits: [Int64: Visit] = [:]

    init(
        channel: ProcessChannel, lodging: Lodging? = nil,
        makeService: @escaping @Sendable () -> BelfryServiceExtension
    ) {
        self.channel = channel
        self.lodging = lodging
        self.makeService = makeService
    }

    /// Reads the keeper's messages until it leaves. Returns the notifications whose `didReceive` still runs.
    func serve() -> [String] {
        var end = ExtensionEnd()
        while true {
            let bytes = channel.read()
            guard !bytes.isEmpty, let messages = try? end.take(bytes) else { break }
            for message in messages { hear(message) }
        }
        // First: changes that wait there still need the state directory, which the door forgets.
        UNUserNotificationCenter.current().finish()
        door?.close()
        channel.close()
        return visits.sorted { $0.key < $1.key }.filter { !$0.value.hasReturned }.map(\.value.identifier)
    }

    private func hear(_ message: KeeperMessage) {
        switch message {
        case .hello(let greeting):
            door = KeeperDoor.open(greeting, bundle: lodging?.bundle) { [channel] in channel.pass($0) }
            channel.say(.hello)
        case .request(let request):
            guard let door else { return }
            door.requestBegan()
            let visit = Visit(
                request, service: door.run(makeService), door: door, channel: channel, lodging: lodging)
            visits = visits.filter { !$0.value.isOver }
            visits[request.number] = visit
            visit.receive()
        case .finished(let token): door?.finished(token)
        case .expire(let number):
            visits[number]?.expire()
            door?.activities.expire()
        // To an extension of another kind, which is loaded and handed no notification.
        case .begin, .answer, .completed: break
        }
    }
}

/// One notification and the object that handles it.
private final class Visit: @unchecked Sendable {
    private let number: Int64
    private let request: UNNotificationRequest
    private let original: NotificationContent
    private let service: BelfryServiceExtension
    private let door: KeeperDoor
    private let channel: ProcessChannel
    private let lodging: Lodging?
    private let lock = NSLock()
    private var hasReplied = false
    private var isReturned = false

    init(
        _ request: ExtensionRequest, service: BelfryServiceExtension, door: KeeperDoor,
        channel: ProcessChannel, lodging: Lodging?
    ) {
        number = request.number
        let content = door.run { request.content.localized() }
        self.request = UNNotificationRequest(pushed: request.identifier, content: content)
        original = content
        self.service = service
        self.door = door
        self.channel = channel
        self.lodging = lodging
    }

    /// The notification's identifier.
    var identifier: String { request.identifier }
    /// Whether `didReceive` has returned.
    var hasReturned: Bool { lock.withLock { isReturned } }
    /// Whether the object has replied and returned.
    var isOver: Bool { lock.withLock { hasReplied && isReturned } }

    /// Calls `didReceive` on a thread of its own.
    func receive() {
        start("didReceive") { visit in
            visit.service.receive(visit.request) { content in visit.reply(content) }
            visit.lock.withLock { visit.isReturned = true }
            visit.channel.say(.returned(visit.number))
        }
    }

    /// Calls the object on another thread: its time is nearly over.
    func expire() {
        start("serviceExtensionTimeWillExpire") { visit in visit.service.expire() }
    }

    /// The content handler: the content counts as it is now (R2). Its first call closes the notification centre.
    private func reply(_ content: UNNotificationContent) {
        let value = lodging?.withOwnAttachments(content.value) ?? content.value
        let isFirst = lock.withLock {
            defer { hasReplied = true }
            return !hasReplied
        }
        let reply = ExtensionMessage.reply(number, value)
        let canBeHeard = reply.canBeHeard
        if isFirst {
            let shown = canBeHeard ? content : request.content
            // Of content without text the worker decides what is shown, and records it.
            if shown.value.hasAlertText { UNUserNotificationCenter.current().showed(request.identifier, shown) }
            door.requestReplied()
        }
        // Later calls are sent too: the keeper warns about them.
        if canBeHeard { return channel.say(reply) }
        KeeperDoor.warn(.outputCut, "a reply that is too large: the original is handed over")
        channel.say(.reply(number, original))
    }

    private func start(_ name: String, _ body: @escaping @Sendable (Visit) -> Void) {
        let thread = Thread { self.door.run { body(self) } }
        thread.name = name
        thread.start()
    }
}
