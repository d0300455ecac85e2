public import BelfryDevices
public import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
public import DeviceRegistry
public import Fleet

/// The bucket of devices as a gateway follows it by one of its lines: into the registry, for the endpoint; for unknown
/// tokens, which it makes certain; and for machines that ask for changes.
///
/// What it does with a line it does by call backs of the loop. It keeps nothing for a line that is not there.
public final class DeviceBucket {
    /// Sends bytes to a subject by the line that the bucket uses; false if that cannot be now.
    public typealias Publish = (
        _ subject: String, _ reply: String?, _ headers: [(name: String, value: String)], _ bytes: [UInt8]
    ) -> Bool

    /// How many devices are written into the registry in one turn of the loop.
    private static let changesPerTurnMax = 250
    /// After how long what could not be written is tried again.
    private static let betweenWrites = TimeSpan.seconds(1)
    /// How much people are told of in a minute.
    private static let warningsPerMinuteMax = 20
    /// How often it writes that this gateway is there, and asks how the brokers keep the bucket.
    private static let betweenWords = TimeSpan.seconds(30)
    /// How many answers are waited for; older ones do not come any more.
    private static let awaitedMax: UInt64 = 8_192

    /// What people are to hear of, in words; nothing twice in a row.
    public var onWarning: (String) -> Void = { _ in }

    private let gateway: FleetName
    private let registry: RegistryMirror
    private let limits: MirrorStateMachine.Limits
    private let loop: any EventLoop
    private let publish: Publish
    private let here: () -> HereAnswer
    /// Of this process alone: nobody listens to the inbox of an earlier one, by which JetStream ends its watches.
    private let process = randomUUID()
    private let inbox: String
    private var isUp = false
    private var mirror: MirrorStateMachine
    private var fences = FenceStateMachine()
    private var answering = AnsweringStateMachine { .random() }
    /// Those who wait for a fence, and for an answer.
    private var fenced: [UInt64: (Bool) -> Void] = [:]
    private var asked: [UInt64: (DeviceAnswer) -> Void] = [:]
    private var lastNumber: UInt64 = 0
    private var awaited: [UInt64: AwaitedAnswer] = [:]
    private var watch: BucketWatch?
    /// Watches that a broker may have still.
    private var begunWatches: Set<String> = []
    private var watchesCount = 0
    /// What has changed in the mirror and not in the registry.
    private var changed: Set<DeviceKey> = []
    private var timer: (timer: any ScheduledTimer, at: Instant)?
    private var settling: (any ScheduledTimer)?
    private var writing: (any ScheduledTimer)?
    private var shared = SharedDevices()
    private var sharing: (any ScheduledTimer)?
    private var saying: (any ScheduledTimer)?
    private var gateways = KnownGateways()
    private var copies: BucketCopies?
    /// The bucket's last number, as a broker told it.
    private var last: UInt64 = 0
    private var restoration: BucketRestoration?
    private var lastWarning = ""
    /// When the current minute of warnings began, and how many it has.
    private var warnings: (since: Instant, count: Int)

    /// The bucket of the gateway called `gateway`, into `registry`, by the line that `publish` sends by. What `here`
    /// returns is written for the other gateways.
    public init(
        gateway: FleetName, registry: RegistryMirror, limits: MirrorStateMachine.Limits = .init(),
        on loop: some EventLoop, here: @escaping () -> HereAnswer, publish: @escaping Publish
    ) throws(RegistryError) {
        self.here = here
        (self.gateway, self.registry, self.limits, self.loop) = (gateway, registry, limits, loop)
        self.publish = publish
        warnings = (loop.now, 0)
        inbox = "_INBOX.\(gateway.text).\(process)"
        mirror = try Self.mirror(of: registry, limits: limits, at: loop.now)
        lookAtShared()
    }

    deinit {
        sharing?.cancel()
        saying?.cancel()
        timer?.timer.cancel()
        settling?.cancel()
        writing?.cancel()
    }

    /// What each line that it may use is to listen to. JetStream takes a watch for one that nobody listens to unless
    /// its subject itself is listened to, whatever wildcard stands for it.
    public var subjects: [String] { ["\(inbox).answer.*"] + (0..<Self.watchSubjectsCount).map(watchSubject) }

    /// The last watch may say something still when the next one has begun.
    private static let watchSubjectsCount = 2

    private func watchSubject(_ number: Int) -> String { "\(inbox).watch.\(number % Self.watchSubjectsCount)" }

    /// What the mirror of the bucket is worth.
    public var standing: MirrorStateMachine.Standing { mirror.standing }

    /// What is known of the bucket; nil until a broker has told.
    public var status: FleetStatus.Bucket? {
        copies.map { copies in
            FleetStatus.Bucket(
                copies: copies, devicesCount: mirror.inUseCount,
                unreadCount: Int(clamping: max(last, mirror.reached) - mirror.reached))
        }
    }

    /// The gateways of the fleet, this one among them.
    public var peers: [FleetStatus.Peer] { gateways.peers(at: Self.wall) }

    /// The line is up, and listens to ``subjects``.
    public func lineIsUp() {
        isUp = true
        shared.beginAnew()
        carryOut(mirror.brokerIsThere(at: loop.now))
        sayHere()
    }

    /// The line is down. When another one is up, what was missed is read by that one.
    public func lineIsDown() {
        isUp = false
        mirror.noBrokerIsThere()
        watch = nil
        let unanswered = awaited.sorted { $0.key < $1.key }
        awaited = [:]
        for (_, what) in unanswered { hear(.failed("the line is down"), to: what) }
        settleSoon()
    }

    /// A message came by the line that the bucket uses, and by no other; whether it was for the bucket.
    public func hear(_ message: LineMessage) -> Bool {
        if let word = BucketWord(message) {
            hear(word, message)
            return true
        }
        guard message.subject.hasPrefix("\(inbox).") else { return false }
        if let number = message.subject.split(separator: ".").last.flatMap({ UInt64($0) }),
            let what = awaited.removeValue(forKey: number)
        {
            hear(BucketAnswer(message), to: what)
            settleSoon()
        }
        return true
    }

    /// Answers true once the registry has all devices that the bucket has now, so that a token which it does not know
    /// is nobody's; false if that cannot be said.
    public func fence(_ answer: @escaping (Bool) -> Void) {
        heedMirror()
        lastNumber += 1
        fenced[lastNumber] = answer
        carryOut(fences.ask(lastNumber, at: loop.now))
        settleSoon()
    }

    /// Does what `machine` asks for, and answers.
    public func ask(_ question: DeviceQuestion, of machine: FleetName, _ answer: @escaping (DeviceAnswer) -> Void) {
        lastNumber += 1
        asked[lastNumber] = answer
        carryOut(answering.ask(lastNumber, question, of: machine, at: loop.now, Self.wall, mirror))
        settleSoon()
    }

    /// An agent of the shared name `machine` has said that it lives, with these devices.
    public func hear(_ devices: [String], of machine: FleetName) { shared.hear(devices, of: machine, at: loop.now) }

    private static var wall: WallTime { WallTime(microseconds: wallTimeMicroseconds()) }

    private static func mirror(
        of registry: RegistryMirror, limits: MirrorStateMachine.Limits, at now: Instant
    ) throws(RegistryError) -> MirrorStateMachine {
        try MirrorStateMachine(limits: limits, at: now) { (know) throws(RegistryError) in
            try registry.each { device in
                if let machine = device.machine, let key = DeviceKey(machine, device.id) { know(key, device.entry) }
            }
        }
    }
}

// Devices of shared names.
extension DeviceBucket {
    /// Removes those whose agents were killed. Where another gateway is faster, nothing is left to do.
    private func lookAtShared() {
        sharing = loop.schedule(at: loop.now + SharedDevices.interval, description: "shared devices") {
            [weak self] in self?.lookAtShared()
        }
        guard isUp else { return }
        for key in shared.look(at: mirror.sharedInUse(), at: loop.now) {
            ask(.remove(key.device), of: key.machine) { _ in }
        }
    }
}

// This gateway is there, and how the bucket is kept.
extension DeviceBucket {
    private func sayHere() {
        saying?.cancel()
        guard isUp else { return }
        let word = fenceWord
        _ = publish(word.subject, nil, word.headers, word.bytes)
        _ = send(.information, awaiting: .look)
        saying = loop.schedule(at: loop.now + Self.betweenWords, description: "here") { [weak self] in
            self?.sayHere()
        }
    }

    private var fenceWord: BucketRequest { .put(.fence(gateway), here().bytes, over: nil) }

    /// Writes the devices in use into the bucket that it lacks, and calls `done`.
    public func restore(_ done: @escaping (FleetRestoration) -> Void) {
        func refuse(_ why: String) { done(FleetRestoration(restoredCount: 0, problem: why)) }
        guard isUp else { return refuse("no broker is in reach") }
        guard mirror.standing != .unread else { return refuse("what the brokers have was not read yet") }
        guard restoration == nil else { return refuse("it is being done") }
        let restoration = BucketRestoration(mirror.toRestore, on: loop) { [weak self] key in
            guard let self, let entry = mirror.entry(key)?.entry else { return false }
            return send(.put(.device(key), entry.asFirst.bytes, over: 0), awaiting: .restoration)
        } done: { [weak self] in
            self?.restoration = nil
            done($0)
        }
        self.restoration = restoration
        restoration.goOn()
    }
}

// What a broker says.
extension DeviceBucket {
    private func hear(_ word: BucketWord, _ message: LineMessage) {
        guard let watch else { return }
        switch word {
        case .delivery(let delivery, watch.name):
            carryOut(mirror.take(delivery, of: watch.number, at: loop.now, Self.wall))
        case .idle(let delivered, let sequence, watch.subject, let answer):
            carryOut(mirror.idle(watch.number, delivered: delivered, sequence: sequence, at: loop.now))
            if let answer { goOn(answer) }
        case .waits(let answer) where message.subject == watch.subject: goOn(answer)
        // Of an earlier watch.
        case .delivery, .idle, .waits: return
        }
        settleSoon()
    }

    /// Has the broker deliver on.
    private func goOn(_ answer: String) {
        if watch?.hasBegun ?? false { _ = publish(answer, nil, [], []) } else { watch?.withheld = answer }
    }

    private func hear(_ answer: BucketAnswer, to what: AwaitedAnswer) {
        let now = loop.now
        switch (what, answer) {
        case (.information(let number), .bucket(let identity, let last, let copies)):
            (self.last, self.copies) = (last, copies)
            guard let watch, watch.number == number else { return }
            begunWatches.insert(watch.name)
            let request = BucketRequest.watch(
                name: watch.name, after: watch.after, to: watch.subject, heartbeat: limits.heartbeat)
            if !send(request, awaiting: .watch(number, bucket: identity, last: last)) { fail(number) }
        case (.watch(let number, let identity, let last), .watching):
            guard watch?.number == number else { return }
            lastWarning = ""
            watch?.hasBegun = true
            carryOut(mirror.begin(number, bucket: identity, last: last, at: now, Self.wall))
            if let answer = watch?.withheld { _ = publish(answer, nil, [], []) }
        case (.information(let number), _), (.watch(let number, _, _), _):
            if case .failed(let why) = answer, isUp { warn("the bucket of devices cannot be read: \(why)") }
            fail(number)
        case (.look, .bucket(_, let last, let copies)): (self.last, self.copies) = (last, copies)
        case (.look, _): break
        case (.restoration, let answer): restoration?.heard(answer)
        case (.end(let name), _): if isUp { begunWatches.remove(name) }
        case (.fence(let number), .written(let sequence)):
            carryOut(fences.written(number, sequence: sequence, at: now))
        case (.fence(let number), _): carryOut(fences.fail(number, at: now))
        case (.write(let number), .written): carryOut(answering.written(number, at: now, mirror))
        case (.write(let number), _):
            if case .failed(let why) = answer, isUp { warn("the bucket of devices cannot be written: \(why)") }
            answering.fail(number, at: now)
        }
    }

    private func fail(_ number: MirrorStateMachine.WatchNumber) { carryOut(mirror.fail(number, at: loop.now)) }

    /// False if it cannot be sent now.
    private func send(_ request: BucketRequest, awaiting what: AwaitedAnswer) -> Bool {
        guard isUp else { return false }
        lastNumber += 1
        awaited[lastNumber] = what
        if lastNumber > Self.awaitedMax { awaited[lastNumber - Self.awaitedMax] = nil }
        if publish(request.subject, "\(inbox).answer.\(lastNumber)", request.headers, request.bytes) { return true }
        awaited[lastNumber] = nil
        return false
    }

    private func warn(_ words: String) {
        guard words != lastWarning else { return }
        lastWarning = words
        let now = loop.now
        if now - warnings.since >= .seconds(60) { warnings = (now, 0) }
        warnings.count += 1
        guard warnings.count <= Self.warningsPerMinuteMax else { return }
        onWarning(words)
    }
}

// What the state machines want.
extension DeviceBucket {
    private func carryOut(_ effects: [MirrorStateMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .watch(let number, let after): begin(number, after: after)
            case .put(let key, _), .remove(let key, _, _): changed.insert(key)
            case .lose(let key, let other):
                changed.insert(key)
                warn("the device \(key.text) has a token, or the name, of \(other.text), and is left out")
            case .forget(let key, let forgotten, let sequence):
                changed.insert(key)
                // Where this is lost the gateway that reads the bucket next does it.
                guard let forgotten, let sequence, isUp else { continue }
                let request = BucketRequest.put(.device(key), forgotten.bytes, over: sequence)
                _ = publish(request.subject, nil, request.headers, request.bytes)
            case .refuse(let key, let reason): warn("the device \(key.text) is left out: \(reason.rawValue)")
            case .gateway(let word): gateways.hear(word)
            case .missing(let key): warn("the bucket of devices has lost \(key.text), which is in use")
            case .malformed(let key, let detail): warn("the bucket of devices has \(key) wrong: \(detail)")
            case .stands(let standing): tell(standing)
            }
        }
        if !effects.isEmpty { settleSoon() }
    }

    private func tell(_ standing: MirrorStateMachine.Standing) {
        switch standing {
        case .unread, .empty, .whole: break
        case .missing:
            warn("the bucket of devices lacks \(mirror.absent.count) that are in use: see belfry fleet restore")
        case .unreadable: warn("the bucket of devices has some that cannot be read")
        }
    }

    private func begin(_ number: MirrorStateMachine.WatchNumber, after sequence: UInt64) {
        for name in begunWatches.sorted() { _ = send(.endWatch(name: name), awaiting: .end(of: name)) }
        watchesCount += 1
        watch = BucketWatch(
            number: number, after: sequence, name: "\(gateway.text)-\(process)-\(watchesCount)",
            subject: watchSubject(watchesCount))
        if !send(.information, awaiting: .information(number)) { fail(number) }
    }

    private func carryOut(_ effects: [FenceStateMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .write(let number):
                if !send(fenceWord, awaiting: .fence(number)) {
                    carryOut(fences.fail(number, at: loop.now))
                }
            case .answer(let number, let answer): fenced.removeValue(forKey: number)?(answer == .certain)
            case .doubt: carryOut(mirror.doubt(at: loop.now))
            }
        }
    }

    private func carryOut(_ effects: [AnsweringStateMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .write(let number, let key, let entry, let sequence):
                if !send(.put(.device(key), entry.bytes, over: sequence), awaiting: .write(number)) {
                    answering.fail(number, at: loop.now)
                }
            case .fence(let number):
                fence { [weak self] isCertain in
                    guard let self else { return }
                    carryOut(answering.fenced(number, isCertain: isCertain, at: loop.now, mirror))
                }
            case .answer(let number, let answer): asked.removeValue(forKey: number)?(answer)
            }
        }
    }
}

// What follows from all that has come.
extension DeviceBucket {
    /// Once for all deliveries that are ready.
    private func settleSoon() {
        guard settling == nil else { return }
        settling = loop.afterReady(description: "bucket of devices") { [weak self] in
            self?.settling = nil
            self?.settle()
        }
    }

    private func settle() {
        heedMirror()
        if !isRegistryWhole { writeSoon() }
        carryOut(answering.look(at: loop.now, mirror))
        wait()
    }

    /// Whether the registry has all that the mirror has.
    private var isRegistryWhole: Bool { changed.isEmpty && !mirror.hasChanges }

    /// What the registry does not know may be somebody's while it is behind.
    private func heedMirror() {
        if isRegistryWhole {
            carryOut(fences.heed(mirror.standing, reached: mirror.reached, at: loop.now))
        } else if mirror.standing != .whole {
            carryOut(fences.heed(mirror.standing, reached: 0, at: loop.now))
        }
    }

    private func wait() {
        guard let next = [mirror.wakeAt, fences.wakeAt, answering.wakeAt].compactMap(\.self).min() else { return }
        // One that fires too early finds nothing to do.
        if let timer, timer.at <= next { return }
        timer?.timer.cancel()
        let scheduled = loop.schedule(at: next, description: "bucket of devices") { [weak self] in
            guard let self else { return }
            timer = nil
            carryOut(mirror.wake(at: loop.now, Self.wall))
            carryOut(fences.wake(at: loop.now))
            settle()
        }
        timer = (scheduled, next)
    }

    private func writeSoon() {
        guard writing == nil else { return }
        writing = loop.afterReady(description: "registry of devices") { [weak self] in
            self?.writing = nil
            self?.write()
        }
    }

    private func write() {
        guard !registry.isAnother() else {
            beginAnew()
            return
        }
        if changed.count < Self.changesPerTurnMax { carryOut(mirror.nextChanges(max: Self.changesPerTurnMax)) }
        let keys = changed.prefix(Self.changesPerTurnMax)
        do throws(RegistryError) {
            let leftOut = try registry.make(keys.map(change(of:)))
            changed.subtract(Array(keys))
            for id in leftOut { warn("the device \(id) is left out: this gateway has its name, or a token") }
        } catch {
            warn("\(error)")
            writing = loop.schedule(at: loop.now + Self.betweenWrites, description: "registry") { [weak self] in
                self?.writing = nil
                self?.write()
            }
            return
        }
        settle()
    }

    private func change(of key: DeviceKey) -> RegistryChange {
        guard let entry = mirror.entryInForce(key) else { return .forget(key.device, of: key.machine) }
        return .keep(VirtualDevice(key, entry))
    }

    /// The registry was damaged, and is a new one, which all that the bucket has is to be written into.
    private func beginAnew() {
        do throws(RegistryError) {
            mirror = try Self.mirror(of: registry, limits: limits, at: loop.now)
        } catch {
            mirror = MirrorStateMachine(limits: limits, at: loop.now) { _ in }
        }
        (changed, watch) = ([], nil)
        awaited = awaited.filter {
            switch $0.value {
            case .information, .watch: false
            case .end, .fence, .write, .look, .restoration: true
            }
        }
        if isUp { carryOut(mirror.brokerIsThere(at: loop.now)) }
        settle()
    }
}
