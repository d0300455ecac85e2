import Combine
import ForeignSurface
import Testing

/// Publishers, as extensions use them.
@Suite struct CombineTests {
    private struct Broken: Error, Equatable {}

    /// Asks for no value of its own accord.
    private final class Slow: Subscriber {
        var values: [Int] = []
        var subscription: (any Subscription)?
        func receive(subscription: any Subscription) { self.subscription = subscription }
        func receive(_ input: Int) -> Subscribers.Demand {
            values.append(input)
            return .none
        }
        func receive(completion: Subscribers.Completion<Never>) {}
    }

    private final class Model {
        @Published var count = 1
        var copy = 0
    }

    @Test("a subject's values go to whoever is subscribed, until that is stopped or goes") func subjects() {
        let subject = PassthroughSubject<Int, Broken>()
        var (values, ends): ([String], [Subscribers.Completion<Broken>]) = ([], [])
        var kept: Set<AnyCancellable> = []
        subject.send(0)
        subject.filter { $0 != 2 }.map { "\($0)" }.eraseToAnyPublisher()
            .sink(receiveCompletion: { ends.append($0) }, receiveValue: { values.append($0) }).store(in: &kept)
        var other: AnyCancellable? = subject.sink(
            receiveCompletion: { _ in }, receiveValue: { values.append("o\($0)") })
        subject.send(1)
        #expect(other != nil)
        other = nil
        subject.send(2)
        subject.send(3)
        subject.send(completion: .failure(Broken()))
        subject.send(4)
        #expect(values == ["1", "o1", "3"] && ends == [.failure(Broken())])
        _ = subject.sink(receiveCompletion: { ends.append($0) }, receiveValue: { _ in })
        #expect(ends.count == 2)
    }

    @Test("a subject that has a value hands it over first; a property does before it changes") func values() {
        let subject = CurrentValueSubject<Int, Never>(1)
        var values: [Int] = []
        let first = subject.removeDuplicates().dropFirst().sink { values.append($0) }
        subject.value = 1
        subject.send(2)
        first.cancel()
        subject.send(3)
        #expect(values == [2] && subject.value == 3)
        let model = Model()
        var seen: [[Int]] = []
        let second = model.$count.sink { seen.append([$0, model.count]) }
        let third = model.$count.assign(to: \.copy, on: model)
        model.count = 5
        withExtendedLifetime((second, third)) {}
        #expect(seen == [[1, 1], [5, 1]] && model.copy == 5 && model.count == 5)
    }

    @Test("a future has one result, for early and late subscribers") func futures() {
        var promise: ((Result<Int, Broken>) -> Void)?
        let future = Future<Int, Broken> { promise = $0 }
        var story: [String] = []
        func follow() -> AnyCancellable {
            future.sink(receiveCompletion: { story.append("\($0)") }, receiveValue: { story.append("\($0)") })
        }
        let early = follow()
        promise?(.success(7))
        promise?(.failure(Broken()))
        let late = follow()
        withExtendedLifetime((early, late)) {}
        #expect(story == ["7", "finished", "7", "finished"])
        var ends: [String] = []
        let checks = [
            Just(1).tryMap { _ in throw Broken() }.sink(
                receiveCompletion: { ends.append("\($0)") }, receiveValue: { (_: Int) in }),
            Fail<Int, Broken>(error: Broken()).mapError { _ in Broken() }.sink(
                receiveCompletion: { ends.append("\($0)") }, receiveValue: { _ in }),
            Empty<Int, Never>().sink(receiveCompletion: { ends.append("\($0)") }, receiveValue: { _ in }),
        ]
        #expect(checks.count == 3 && ends.map { $0.prefix(7) } == ["failure", "failure", "finishe"])
    }

    @Test("a value that is there waits until somebody asks for it") func asked() {
        let slow = Slow()
        Just(7).subscribe(slow)
        slow.subscription?.request(.none)
        #expect(slow.values.isEmpty)
        slow.subscription?.request(.max(1))
        #expect(slow.values == [7])
    }

    @Test("nobody is given more than asked for; a subject that keeps its value gives the last") func demand() {
        let (plain, current) = (PassthroughSubject<Int, Never>(), CurrentValueSubject<Int, Never>(0))
        let (first, second) = (Slow(), Slow())
        plain.compactMap { $0 > 1 ? $0 : nil }.subscribe(first)
        current.subscribe(second)
        plain.send(9)
        first.subscription?.request(.max(1))
        for value in 1...3 { plain.send(value) }
        #expect(first.values == [2])
        current.send(1)
        current.send(2)
        second.subscription?.request(.max(1))
        current.send(3)
        current.send(4)
        #expect(second.values == [2])
        second.subscription?.request(.max(1))
        #expect(second.values == [2, 4])
        #expect(Subscribers.Demand.max(1) + .unlimited == .unlimited && Subscribers.Demand.max(2) > .max(1))
    }

    private final class Observed: ObservableObject {
        @Published var count = 0
        @Published var name = ""
    }

    private final class OwnModel: ObservableObject {
        let objectWillChange = PassthroughSubject<Int, Never>()
        var count = 0 { willSet { objectWillChange.send(newValue) } }
    }

    @Test("an object publishes before one of its properties changes, to all who ask it") func observable() {
        let model = Observed()
        var seen: [Int] = []
        let watch = model.objectWillChange.sink { seen.append(model.count) }
        let other = model.objectWillChange.sink { seen.append(-1) }
        model.count = 7
        model.name = "a"
        #expect(seen.sorted() == [-1, -1, 0, 7])
        other.cancel()
        watch.cancel()
        model.count = 8
        model.objectWillChange.send()
        #expect(seen.count == 4)
        let own = OwnModel()
        var values: [Int] = []
        let ownWatch = own.objectWillChange.sink { values.append($0) }
        own.count = 3
        #expect(values == [3])
        ownWatch.cancel()
    }

    @Test("an object at the place of one that is gone is not taken for it") func observedAgain() {
        var count = 0
        for _ in 0..<1_000 {
            let model = Observed()
            let watch = model.objectWillChange.sink { count += 1 }
            model.count = 1
            watch.cancel()
        }
        #expect(count == 1_000)
    }

    @Test("the first value, a look at each, and what is made of all of them") func some() {
        let subject = PassthroughSubject<Int, Never>()
        var (firsts, sums, looks, ends): ([Int], [Int], [Int], Int) = ([], [], [], 0)
        var kept: Set<AnyCancellable> = []
        subject.first().sink(receiveCompletion: { _ in ends += 1 }, receiveValue: { firsts.append($0) })
            .store(in: &kept)
        // Publishing again from within must not make a second first one.
        subject.first { $0 > 1 }.sink {
            firsts.append($0)
            if $0 < 9 { subject.send(9) }
        }.store(in: &kept)
        subject.handleEvents(receiveOutput: { looks.append($0) }, receiveCompletion: { _ in ends += 1 })
            .scan(0) { $0 + $1 }.sink { sums.append($0) }.store(in: &kept)
        for value in 1...3 { subject.send(value) }
        subject.send(completion: .finished)
        #expect(firsts == [1, 2] && looks.sorted() == [1, 2, 3, 9] && sums.last == 15 && ends == 2)
    }

    @Test("values are received where a scheduler says, in their order, before the end") func scheduled() async {
        let subject = PassthroughSubject<Int, Never>()
        let queue = DispatchQueue(label: "scheduled")
        let seen = AsyncStream<String>.makeStream()
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let kept = subject.receive(on: queue).sink(
            receiveCompletion: { _ in
                seen.continuation.yield("end")
                seen.continuation.finish()
            },
            receiveValue: { seen.continuation.yield("\($0) \(DispatchQueue.getSpecific(key: key) == true)") })
        let late = AsyncStream<Int>.makeStream()
        let other = subject.delay(for: .milliseconds(1), scheduler: OperationQueue()).sink {
            late.continuation.yield($0)
        }
        subject.send(1)
        subject.send(2)
        var lateOnes = late.stream.makeAsyncIterator()
        #expect(await lateOnes.next() != nil)
        subject.send(completion: .finished)
        #expect(await seen.stream.reduce(into: []) { $0.append($1) } == ["1 true", "2 true", "end"])
        withExtendedLifetime((kept, other)) {}
    }

    @Test("of values that come at once the last is received, or the first and the last") func thinned() async {
        let subject = PassthroughSubject<Int, Never>()
        let queue = DispatchQueue(label: "thinned")
        let (quiet, thin, first) = (
            AsyncStream<Int>.makeStream(), AsyncStream<Int>.makeStream(), AsyncStream<Int>.makeStream()
        )
        var kept: Set<AnyCancellable> = []
        subject.debounce(for: .milliseconds(20), scheduler: queue).sink { quiet.continuation.yield($0) }
            .store(in: &kept)
        subject.throttle(for: 0.02, scheduler: queue, latest: true).sink { thin.continuation.yield($0) }
            .store(in: &kept)
        subject.throttle(for: .seconds(60), scheduler: queue, latest: false).sink { first.continuation.yield($0) }
            .store(in: &kept)
        // None of it runs before all have come.
        queue.sync { for value in 1...5 { subject.send(value) } }
        var (quietOnes, thinOnes, firsts) = (
            quiet.stream.makeAsyncIterator(), thin.stream.makeAsyncIterator(), first.stream.makeAsyncIterator()
        )
        #expect(await quietOnes.next() == 5)
        #expect(await thinOnes.next() == 1)
        #expect(await thinOnes.next() == 5)
        #expect(await firsts.next() == 1)
        kept = []
        subject.send(6)
        quiet.continuation.finish()
        #expect(await quietOnes.next() == nil)
    }

    @Test("options are made by the names that Apple gave them") func options() {
        DispatchQueue(label: "q").schedule(options: DispatchQueue.SchedulerOptions()) {}
        RunLoop.main.schedule(options: RunLoop.SchedulerOptions()) {}
        OperationQueue().schedule(options: OperationQueue.SchedulerOptions()) {}
        #expect(RunLoop.main.now <= OperationQueue.main.now)
    }

    /// A scheduler whose time passes as a test says.
    private final class PlayedScheduler: Scheduler {
        typealias SchedulerOptions = Never
        private(set) var now = DispatchQueue.main.now
        private var due: [(date: ScheduledTime, action: () -> Void)] = []

        func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

        func schedule(
            after date: ScheduledTime, tolerance: ScheduledTime.Stride, options: Never?, _ action: @escaping () -> Void
        ) { due.append((date, action)) }

        func pass(_ seconds: Double) {
            now = now.advanced(by: .seconds(seconds))
            let ready = due.filter { $0.date <= now }
            due.removeAll { $0.date <= now }
            for (_, action) in ready { action() }
        }
    }

    @Test("the quiet after which the last value is received begins anew with each") func quiet() {
        let (subject, scheduler) = (PassthroughSubject<Int, Never>(), PlayedScheduler())
        var seen: [Int] = []
        let kept = subject.debounce(for: .seconds(1), scheduler: scheduler).sink { seen.append($0) }
        subject.send(1)
        scheduler.pass(0.6)
        subject.send(2)
        scheduler.pass(0.6)
        #expect(seen.isEmpty)
        scheduler.pass(0.6)
        #expect(seen == [2])
        withExtendedLifetime(kept) {}
    }

    @Test("a run loop passes values on in its turn, in their order") func runLoop() async {
        let seen = AsyncStream<String>.makeStream()
        let thread = Thread {
            let own = Thread.current
            let subject = PassthroughSubject<Int, Never>()
            let kept = subject.receive(on: RunLoop.current).sink {
                seen.continuation.yield("\($0) \(Thread.current === own)")
            }
            for value in 1...3 { subject.send(value) }
            seen.continuation.yield("sent")
            while RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 10)) {}
            withExtendedLifetime(kept) { seen.continuation.finish() }
        }
        thread.start()
        #expect(await seen.stream.reduce(into: []) { $0.append($1) } == ["sent", "1 true", "2 true", "3 true"])
    }

    @Test("notifications are published as they are posted, until that is stopped") func notifications() async {
        let (center, name) = (NotificationCenter(), Notification.Name("CallStarted"))
        let log = AsyncStream<String>.makeStream()
        var logged = log.stream.makeAsyncIterator()
        let next = AsyncStream<String>.makeStream()
        var model: CallModel? = CallModel(center: center, queue: DispatchQueue(label: "model")) {
            log.continuation.yield($0)
        }
        model?.next { next.continuation.yield($0) }
        for caller in ["Anna", "Anna", "Ben"] {
            center.post(name: name, object: nil, userInfo: ["caller": caller])
        }
        center.post(name: Notification.Name("Other"), object: nil, userInfo: ["caller": "Cem"])
        #expect(await logged.next() == "Anna")
        #expect(await logged.next() == "Ben")
        var nexts = next.stream.makeAsyncIterator()
        #expect(await nexts.next() == "Anna")
        model = nil
        center.post(name: name, object: nil, userInfo: ["caller": "Dora"])
        log.continuation.finish()
        #expect(await logged.next() == nil)
        var (own, seen) = (NSObject(), 0)
        let kept = center.publisher(for: name, object: own).sink { _ in seen += 1 }
        center.post(name: name, object: own)
        center.post(name: name, object: nil)
        #expect(seen == 1)
        own = NSObject()
        withExtendedLifetime(kept) {}
    }
}
