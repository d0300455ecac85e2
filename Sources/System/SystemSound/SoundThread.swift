import BelfrySyscalls
import BelfryTerms
import CBelfryCanberra
import CBelfryLinux
import Glibc

/// The one thread that calls libcanberra, which blocks up to 30 s on a hung server. It is never joined: the process may
/// end wherever the thread is.
final class SoundThread {
    /// Enough for libcanberra and the loading of its driver, where the usual 8 MiB would count against limits on
    /// address space.
    static let stackBytes = 256 << 10

    /// How it plays: the place where sounding processes are counted, where to and how loud, and by which library.
    struct Manner {
        let runtimeDirectory: String?
        let route: SoundRoute
        let libraryName: String
    }

    private let exchange: SoundExchange
    private let manner: Manner
    /// Wakes the loop: the exchange holds news of the sound with this number.
    private let wakeLoop: @Sendable (UInt32) -> Void
    /// Reports to the loop that a sound was heard to the end of the tick with this number.
    private let tellEnd: @Sendable (UInt32, UInt64) -> Void

    private var library: CanberraLibrary?
    private var connection: CanberraConnection?
    /// How long the server may take to say what mutes a sound that plays already. Silence waits for that, too.
    private static let mutePatience = TimeSpan.milliseconds(50)
    /// How often more the server is asked what mutes what ``connection`` plays: as it begins, and again, since it may
    /// apply what it remembers of such sounds a little later.
    private var questionsLeft = 0
    /// Why nothing is heard of what ``connection`` plays; nil if it is heard.
    private var silence: String?
    /// The device that it does not play to, since that is not there; nil if it does.
    private var missingDevice: String?
    private var slot: SoundSlot
    /// When each sound that is loud was first asked for, in microseconds since boot.
    private var loudSince: [UInt32: Int64] = [:]

    private init(
        exchange: SoundExchange,
        manner: Manner,
        wakeLoop: @escaping @Sendable (UInt32) -> Void,
        tellEnd: @escaping @Sendable (UInt32, UInt64) -> Void
    ) {
        self.exchange = exchange
        self.slot = SoundSlot(runtimeDirectory: manner.runtimeDirectory)
        self.manner = manner
        self.wakeLoop = wakeLoop
        self.tellEnd = tellEnd
    }

    /// Starts the thread (pthread_create), detached and with every signal blocked.
    static func start(
        exchange: SoundExchange,
        manner: Manner,
        wakeLoop: @escaping @Sendable (UInt32) -> Void,
        tellEnd: @escaping @Sendable (UInt32, UInt64) -> Void
    ) throws(SystemError) {
        // It inherits the mask; a signal that sd-event waits for must never be taken by a thread that is in
        // libcanberra.
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }

        let body = SoundThread(
            exchange: exchange, manner: manner, wakeLoop: wakeLoop, tellEnd: tellEnd)
        let argument = unsafe Unmanaged.passRetained(body)
        let result = unsafe clinux_start_thread(
            stackBytes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<SoundThread>.fromOpaque(argument).takeRetainedValue().run()
            },
            argument.toOpaque())
        guard result == 0 else {
            unsafe argument.release()
            throw SystemError(errno: result, call: "pthread_create")
        }
    }

    private func run() -> Never {
        _ = unsafe clinux_name_thread("belfry-sound")
        while true {
            switch exchange.takeOrder() {
            case .play(let id):
                if exchange.endPlay(id, play(id)) { wakeLoop(id) }
            case .silence(let id, let number):
                connection?.silence(id)
                loudSince[id] = nil
                // The place is the process's, for as long as any of its sounds is heard.
                if exchange.isOnlySound(id) { slot.release() }
                exchange.endSilence(id, number)
                wakeLoop(id)
            case .lookForAsker: giveWay()
            }
        }
    }

    /// Makes one tick's sound; nil if the ring was silenced meanwhile.
    private func play(_ id: UInt32) -> SoundReport? {
        guard let sound = exchange.wantedSound(id) else { return nil }
        loudSince[id] = sound.isSoft ? nil : loudSince[id] ?? bootTimeMicroseconds()
        guard takeSlot() else { return .busy }
        do throws(CanberraError) {
            let wasConnected = connection != nil
            do throws(CanberraError) {
                return try playOnce(id)
            } catch {
                guard wasConnected, !error.isOfFile else { throw error }
                // The server has left or forgotten us since the last tick: one new connection, at once. Other sounds
                // that still played on the old one are heard again at their next ticks.
                connection = nil
                return try playOnce(id)
            }
        } catch {
            if !error.isOfFile { connection = nil }
            return .unavailable(error.detail)
        }
    }

    /// Asks "still ringing?" after each call into libcanberra that may have blocked.
    private func playOnce(_ id: UInt32) throws(CanberraError) -> SoundReport? {
        let connection = try connect()
        guard let begun = exchange.beginSound(id) else { return nil }
        let sound = begun.sound
        var ended: (@Sendable () -> Void)?
        if sound.tellsEnd { ended = { [tellEnd, tick = begun.tick] in tellEnd(id, tick) } }
        try connection.play(sound, as: id, ended: ended)
        guard exchange.wantedSound(id) != nil else {
            connection.cancel(id)
            return nil
        }
        lookAtServer()
        if connection.isDeviceMissing { missingDevice = manner.route.device }
        if let silence { return .muted(silence) }
        guard let missingDevice else { return .playing(sound.label) }
        return .playing("\(sound.label), and not to \(missingDevice), since there is no such sink")
    }

    /// Finds out whether nobody hears what plays, and whether it plays where it should, if the server says.
    private func lookAtServer() {
        guard questionsLeft > 0 else { return }
        questionsLeft -= 1
        guard case .outputs(let outputs) = SoundServer.ask(manner.route, patience: Self.mutePatience) else { return }
        (silence, missingDevice) = (outputs.silence, outputs.missingDevice)
    }

    private func connect() throws(CanberraError) -> CanberraConnection {
        if let connection { return connection }
        if library == nil { library = try CanberraLibrary(fileName: manner.libraryName) }
        guard let library else { preconditionFailure("a library that was opened is there") }
        let connection = try CanberraConnection(library: library, route: manner.route)
        self.connection = connection
        (silence, missingDevice, questionsLeft) = (nil, nil, 2)
        return connection
    }

    private func takeSlot() -> Bool {
        giveWay()
        return slot.take(loudSince: newestLoud)
    }

    /// When the newest loud ring of this process began, in microseconds since boot; 0 if none is loud.
    private var newestLoud: Int64 { loudSince.values.max() ?? 0 }

    /// Falls silent if a newer ring asks for our place.
    private func giveWay() {
        guard slot.isWantedByAnother(loudSince: newestLoud) else { return }
        for id in exchange.heardSounds() {
            connection?.silence(id)
            if exchange.fellSilent(id) { wakeLoop(id) }
        }
        slot.release()
    }
}

/// Wakes one thread from another: a POSIX semaphore, since posting one never blocks.
@safe
final class ThreadSignal: @unchecked Sendable {
    // Unchecked: a semaphore is made to be shared, and its address never changes.
    private let semaphore: UnsafeMutablePointer<sem_t>

    /// A signal that is not raised.
    init() {
        unsafe semaphore = .allocate(capacity: 1)
        let result = unsafe sem_init(semaphore, 0, 0)
        precondition(result == 0, "a semaphore of value 0 cannot be refused, errno \(errno)")
    }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    /// Wakes the waiting thread, or lets its next wait return at once (sem_post).
    func raise() {
        // The only failure is an overflow, after two thousand million raises without a wait. They count as one wake-up
        // anyway.
        _ = unsafe sem_post(semaphore)
    }

    /// Blocks until it is raised (sem_wait).
    func wait() {
        while unsafe sem_wait(semaphore) != 0 {
            precondition(errno == EINTR, "waiting for a semaphore of ours failed, errno \(errno)")
        }
    }

    /// Blocks until it is raised; false if that takes longer than `patience` (sem_clockwait).
    func wait(atMost patience: TimeSpan) -> Bool {
        var end = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &end)
        let nanoseconds = end.tv_nsec + Int(patience.microseconds) * 1_000
        end = timespec(tv_sec: end.tv_sec + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
        while unsafe clinux_wait_until(semaphore, &end) != 0 {
            if errno == ETIMEDOUT { return false }
            precondition(errno == EINTR, "waiting for a semaphore of ours failed, errno \(errno)")
        }
        return true
    }
}
