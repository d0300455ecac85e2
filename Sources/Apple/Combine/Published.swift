/// A property that publishes its value before it changes. Source: Apple, `Published`.
@propertyWrapper
public struct Published<Value> {
    private let subject: CurrentValueSubject<Value, Never>
    private let kept: Kept

    /// The property's value, which changes after it was published.
    private final class Kept {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    /// A property of `wrappedValue`.
    public init(wrappedValue: Value) {
        subject = CurrentValueSubject(wrappedValue)
        kept = Kept(wrappedValue)
    }

    /// A property of `initialValue`.
    public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

    /// Publishes the property's value. Source: Apple, `Published.Publisher`.
    public struct Publisher: Combine.Publisher {
        /// The property's value.
        public typealias Output = Value
        /// It does not fail.
        public typealias Failure = Never
        fileprivate let subject: CurrentValueSubject<Value, Never>

        /// Subscribes `subscriber`, which gets the value at once.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Value, Downstream.Failure == Never { subject.receive(subscriber: subscriber) }
    }

    /// The publisher of the property's value, `$name`.
    public var projectedValue: Publisher { Publisher(subject: subject) }

    /// Not available: only properties of classes publish.
    @available(*, unavailable, message: "@Published is only available on properties of classes")
    public var wrappedValue: Value {
        get { kept.value }
        set { _ = newValue }
    }

    /// The value in an object; setting it publishes it.
    public static subscript<Object: AnyObject>(
        _enclosingInstance object: Object, wrapped wrappedKeyPath: ReferenceWritableKeyPath<Object, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Object, Published<Value>>
    ) -> Value {
        get { object[keyPath: storageKeyPath].kept.value }
        set {
            let published = object[keyPath: storageKeyPath]
            ObjectPublishers.willChange(object)
            // First, as on iOS: subscribers still read the old value from the property.
            published.subject.send(newValue)
            published.kept.value = newValue
        }
    }
}
