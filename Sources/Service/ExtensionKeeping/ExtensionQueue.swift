public import BelfryEventLoop
import BelfryLines
import BelfryProtocol
public import BelfrySyscalls
public import BelfryTerms
import KeeperChannel

/// A keeper that stays: keeps the extension's process for the workers of all its notifications, and serves them in the
/// order in which they come.
///
/// If the process is used again, there is one for all. Otherwise each notification has its own, which starts once the
/// notification before is delivered.
public final class ExtensionQueue {
    /// After how long without work it leaves.
    public static let idleMax = TimeSpan.seconds(30)
    /// How many notifications wait or run at once; the workers of others are turned away.
    private static let guestsMax = 4_096
    /// How many bytes of news may wait for a worker: with more, the worker counts as one that does not read. The
    /// longest line takes a quarter of it.
    private static let unreadBytesMax = 4 << 20

    private let setting: ExtensionSetting
    private let isReused: Bool
    private let loop: Loop
    private var listener: SocketListener?
    private var idle: (any ScheduledTimer)?
    private var guests: [Int: Guest] = [:]
    private var lastGuest = 0
    /// The guests that wait for a process of their own, the first one first.
    private var queue: [Int] = []
    /// The guest whose delivery the queue waits for.
    private var current: Int?
    /// The process that is used again.
    private lazy var shared = makeKeeper()
    private var sharedGuests: [Int64: Int] = [:]
    private var ownKeepers: [Int: ExtensionKeeper] = [:]
    private var isLeaving = false

    /// The worker of one notification.
    private final class Guest {
        let connection: LineConnection
        var request: (identifier: String, content: NotificationContent)?
        var number: Int64?
        var isOver = false

        init(_ connection: LineConnection) { self.connection = connection }
    }

    /// A keeper that accepts workers at `listener`, a socket that listens.
    public init(_ setting: ExtensionSetting, isReused: Bool, listener: Int32, on loop: Loop) throws(SystemError) {
        self.setting = setting
        self.isReused = isReused
        self.loop = loop
        self.listener = try SocketListener(at: listener, on: loop, description: "extension socket") {
            [unowned self] in begin($0)
        }
        leaveLater()
    }

    /// Ends what runs, and the loop after that.
    public func stop() {
        isLeaving = true
        listener?.pause()
        idle?.cancel()
        if isReused { shared.stop() }
        for keeper in ownKeepers.values { keeper.stop() }
        leaveIfOver()
    }

    private func begin(_ socket: consuming OwnedDescriptor) {
        guard guests.count < Self.guestsMax else { return }
        lastGuest += 1
        let id = lastGuest
        let limits = LineConnection.Limits(unsentBytesMax: Self.unreadBytesMax)
        let connection = LineConnection(socket, limits, on: loop, description: "extension guest")
        guard (try? connection.listen { [unowned self] in heard($0, from: id) }) != nil else { return }
        guests[id] = Guest(connection)
        idle?.cancel()
    }

    private func heard(_ news: LineConnection.News, from id: Int) {
        switch news {
        case .line(let line): if !take(line, from: id) { dismiss(id) }
        case .ended: left(id)
        case .taken: if guests[id]?.isOver ?? true { dismiss(id) }
        case .lost: dismiss(id)
        }
    }

    /// Takes a worker's line. False for one that no worker of ours sends.
    private func take(_ line: [UInt8], from id: Int) -> Bool {
        do throws(ChannelError) {
            switch try KeeperOrder(line: line) {
            case .receive(let identifier, let content): receive(identifier, content, for: id)
            case .finished(let token): (isReused ? shared : ownKeepers[id])?.finished(token)
            case nil: break
            }
            return true
        } catch {
            return false
        }
    }

    private func receive(_ identifier: String, _ content: NotificationContent, for id: Int) {
        guard let guest = guests[id], guest.request == nil, !isLeaving else { return }
        guest.request = (identifier, content)
        say(.queued, nil, to: id)
        guard isReused else {
            queue.append(id)
            return startNext()
        }
        // Noted first: the keeper may report news of this number before receive() returns.
        let number = shared.nextNumber
        (guest.number, sharedGuests[number]) = (number, id)
        shared.receive(identifier, content)
    }

    private func startNext() {
        guard current == nil, !queue.isEmpty else { return }
        let id = queue.removeFirst()
        guard let request = guests[id]?.request else { return startNext() }
        current = id
        let keeper = ExtensionKeeper(setting, isReused: false, on: loop) { [unowned self] _, news, file in
            happened(news, file, for: id)
        }
        ownKeepers[id] = keeper
        keeper.receive(request.identifier, request.content)
    }

    private func makeKeeper() -> ExtensionKeeper {
        let keeper = ExtensionKeeper(setting, isReused: true, on: loop) { [unowned self] number, news, file in
            // News of a notification that is over goes to the last one that has begun.
            let story = sharedGuests[number] == nil ? lastBegun() : number
            if let id = story.flatMap({ sharedGuests[$0] }) { happened(news, file, for: id) }
        }
        keeper.onOver = { [unowned self] in leaveIfOver() }
        return keeper
    }

    /// The newest notification that has begun and whose worker listens; for one that waits, no code has run yet.
    private func lastBegun() -> Int64? { sharedGuests.keys.filter { $0 <= shared.lastBegun }.max() }

    private func happened(_ news: KeeperNews, _ file: PassedFile?, for id: Int) {
        // Before the last news is sent: a worker that takes it at once is forgotten right then.
        if news == .over { over(id) }
        say(news, file, to: id)
        switch news {
        case .said(.reply), .original, .over: break
        case .queued, .began, .said, .process, .killed: return
        }
        guard current == id else { return }
        // Later: the machine behind this news must not be fed while it performs an effect.
        _ = loop.afterThis(description: "next notification") { [weak self] in
            self?.current = nil
            self?.startNext()
        }
    }

    private func over(_ id: Int) {
        guests[id]?.isOver = true
        if let number = guests[id]?.number { sharedGuests[number] = nil }
        guard let keeper = ownKeepers.removeValue(forKey: id) else { return leaveLater() }
        // We are called from inside the keeper: keep it alive until it returns.
        _ = loop.afterThis(description: "extension is over") { [weak self] in
            _ = keeper
            self?.leaveLater()
            self?.leaveIfOver()
        }
    }

    /// The worker has left: withdraws its notification.
    private func left(_ id: Int) {
        guard let guest = guests[id] else { return }
        if !guest.isOver {
            if let number = guest.number { shared.withdraw(number) }
            // A keeper of its own has this one notification, whose number is 1.
            ownKeepers[id]?.withdraw(1)
        }
        if queue.contains(id) {
            queue.removeAll { $0 == id }
            say(.over, nil, to: id)
        }
        // A worker with a request may only have stopped sending, and still listen.
        if guest.request == nil { guests[id] = nil }
        leaveLater()
    }

    private func say(_ news: KeeperNews, _ file: PassedFile?, to id: Int) {
        guard let guest = guests[id] else { return }
        guest.isOver = guest.isOver || news == .over
        guest.connection.send(news.line, passing: file)
    }

    /// Forgets a worker that has taken all its news, does not listen any more, or is none of ours.
    private func dismiss(_ id: Int) {
        guard let guest = guests[id] else { return }
        guest.connection.close()
        left(id)
        guests[id] = nil
        leaveLater()
    }

    private func leaveLater() {
        idle?.cancel()
        guard guests.isEmpty, ownKeepers.isEmpty, !isLeaving else { return }
        idle = loop.schedule(at: loop.now + Self.idleMax, description: "extension host idle") { [weak self] in
            self?.stop()
        }
    }

    private func leaveIfOver() {
        if isLeaving, ownKeepers.isEmpty, !isReused || shared.isOver { loop.stop() }
    }
}
