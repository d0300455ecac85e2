import Dispatch

/// An object that publishes before it changes. Source: Apple, `ObservableObject`.
public protocol ObservableObject: AnyObject {
    /// What publishes before the object changes.
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where
        Self.ObjectWillChangePublisher.Failure == Never

    /// Publishes before the object changes.
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// Publishes before one of the object's `@Published` properties changes.
    public var objectWillChange: ObservableObjectPublisher { ObjectPublishers.publisher(of: self) }
}

/// Publishes that an object is about to change. Source: Apple, `ObservableObjectPublisher`.
public final class ObservableObjectPublisher: Publisher {
    /// Nothing but that it happens.
    public typealias Output = Void
    /// It does not fail.
    public typealias Failure = Never

    private let subject = PassthroughSubject<Void, Never>()

    /// A publisher.
    public init() {}

    /// Subscribes `subscriber`.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Void, Downstream.Failure == Never { subject.receive(subscriber: subscriber) }

    /// Publishes that the object is about to change.
    public func send() { subject.send(()) }
}

/// The publishers of objects that have none of their own: of each that was asked for one, as long as it is there.
enum ObjectPublishers {
    private struct Entry {
        weak var object: AnyObject?
        let publisher: ObservableObjectPublisher
    }

    /// After so many entries those of objects that are gone are removed.
    private static let entriesAtFirst = 64
    private static let queue = DispatchQueue(label: "belfry.observable-objects")
    // Only on the queue.
    nonisolated(unsafe) private static var entries: [ObjectIdentifier: Entry] = [:]
    nonisolated(unsafe) private static var entriesMax = entriesAtFirst

    static func publisher(of object: AnyObject) -> ObservableObjectPublisher {
        nonisolated(unsafe) let object = object
        return queue.sync {
            let id = unsafe ObjectIdentifier(object)
            // An object at the place of one that is gone is another.
            if let entry = unsafe entries[id], unsafe entry.object === object { return entry.publisher }
            if unsafe entries.count >= entriesMax {
                unsafe entries = entries.filter { $0.value.object != nil }
                unsafe entriesMax = max(entriesAtFirst, 2 * entries.count)
            }
            let publisher = ObservableObjectPublisher()
            unsafe entries[id] = Entry(object: object, publisher: publisher)
            return publisher
        }
    }

    /// Publishes that `object`, one of whose properties is set, is about to change.
    static func willChange(_ object: AnyObject) {
        guard let observed = object as? any ObservableObject else { return }
        (observed.objectWillChange as? ObservableObjectPublisher)?.send()
    }
}
