import BelfryAppDoor
import BelfryTerms
import CallChannel
import CallKit
import ForeignApp
import ForeignApp6
import Foundation
import PushKit
import Support
import Testing

/// A registry between an app's delegate and `belfry-calls`.
@Suite(.timeLimit(.minutes(10))) struct PushRegistryTests {
    private let app: PlayedApp
    private var centre: PlayedCentre { app.centre }
    private let queue = DispatchQueue(label: "app.pushes")

    init() throws { app = try PlayedApp() }

    /// A registry that was let in.
    private func registry(_ delegate: any PKPushRegistryDelegate) async -> PKPushRegistry {
        let registry = app.door.run { PKPushRegistry(queue: queue) }
        registry.delegate = delegate
        registry.desiredPushTypes = [.voIP]
        #expect(await centre.welcome(after: 2) == [.hello(app.hello), .registry(["voip"])])
        return registry
    }

    /// Hands a push over, and returns what the app says of it in that order.
    private func push(_ count: Int, _ payload: String = "{}") async -> [AppMessage] {
        centre.say(.push(7, payload: payload, mustReport: true))
        var said: [AppMessage] = []
        while said.count < count, let news = await centre.next() {
            if case .said(let message) = news { said.append(message) }
        }
        return said
    }

    @Test("the token comes with each registration, and goes")
    func token() async throws {
        defer { app.end() }
        let tokens = AsyncStream<Data?>.makeStream()
        let delegate = Registrar()
        delegate.onToken = { tokens.continuation.yield($0) }
        delegate.onInvalid = { tokens.continuation.yield(nil) }
        var heard = tokens.stream.makeAsyncIterator()
        let registry = await registry(delegate)
        #expect(registry.pushToken(for: .voIP) == nil)
        centre.say(.token([1, 0xab]))
        #expect(await heard.next() == Data([1, 0xab]))
        #expect(registry.pushToken(for: .voIP) == Data([1, 0xab]))
        #expect(registry.pushToken(for: .fileProvider) == nil)
        centre.say(.tokenInvalid)
        #expect(await heard.next() == .some(nil))
        centre.say(.token([2]))
        #expect(await heard.next() == Data([2]))
        registry.desiredPushTypes = []
        #expect(await heard.next() == .some(nil))
        #expect(registry.pushToken(for: .voIP) == nil)
        let types: [String]? = await centre.first { if case .registry(let types) = $0 { types } else { nil } }
        #expect(types == [])
        registry.desiredPushTypes = [.voIP]
        #expect(await heard.next() == Data([2]))
        // Set late: it hears what is known.
        let other = app.door.run { PKPushRegistry(queue: queue) }
        other.desiredPushTypes = [.voIP]
        other.delegate = delegate
        #expect(await heard.next() == Data([2]))
    }

    @Test("a push is received by the newest form that there is, on the registry's queue; its end is told after it")
    func forms() async throws {
        defer { app.end() }
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let door = app.door
        let received: (PKPushPayload) -> Void = { payload in
            #expect(DispatchQueue.getSpecific(key: key) == true)
            #expect(AppDoor.push == 7)
            #expect(payload.type == .voIP && payload.dictionaryPayload["n"] as? Int == 1)
            _ = door.say(.completed(push: -1))
        }
        let metadata = MetadataRegistrar(received: received)
        let registry = await registry(metadata)
        let here = AppMessage.completed(push: -1)
        let done = AppMessage.completed(push: 7)
        #expect(await push(3, #"{"n": 1}"#) == [here, .returned(push: 7, form: .metadata), done])
        #expect(metadata.mustReport == true)
        let completion = CompletionRegistrar(received: received)
        registry.delegate = completion
        #expect(await push(3, #"{"n": 1}"#) == [here, .returned(push: 7, form: .completion), done])
        let deprecated = DeprecatedRegistrar(received: received)
        registry.delegate = deprecated
        #expect(await push(2, #"{"n": 1}"#) == [here, .returned(push: 7, form: .deprecated)])
        let none = SubclassRegistrar(received: received)
        registry.delegate = none
        #expect(await push(1) == [.returned(push: 7, form: .none)])
        withExtendedLifetime((metadata, completion, deprecated, none)) {}
    }

    @Test("an async method runs to its first suspension before it counts as returned", arguments: [true, false])
    func suspended(suspends: Bool) async throws {
        defer { app.end() }
        let door = app.door
        let gate = AsyncStream<Void>.makeStream()
        let delegate = AsyncRegistrar { _ in
            _ = door.say(.completed(push: -1))
            if suspends {
                for await _ in gate.stream { break }
                #expect(AppDoor.push == 7)
                _ = door.say(.completed(push: -2))
            }
        }
        let registry = await registry(delegate)
        let returned = AppMessage.returned(push: 7, form: .async)
        if suspends {
            #expect(await push(2) == [.completed(push: -1), returned])
            gate.continuation.yield()
            #expect(await centre.next() == .said(.completed(push: -2)))
            #expect(await centre.next() == .said(.completed(push: 7)))
        } else {
            #expect(await push(3) == [.completed(push: -1), returned, .completed(push: 7)])
        }
        withExtendedLifetime((registry, delegate)) {}
    }

    @Test("the push is known in the method and in its task, not in a detached one nor on a queue")
    func number() async throws {
        defer { app.end() }
        let door = app.door
        let delegate = CompletionRegistrar { _ in
            let say: @Sendable (Int64) -> Void = { mark in
                _ = door.say(.completed(push: mark + (AppDoor.push ?? 0)))
            }
            say(100)
            Task { say(200) }
            Task.detached { say(300) }
            DispatchQueue.global().async { say(400) }
        }
        let registry = await registry(delegate)
        let marks = await push(6).compactMap { if case .completed(let mark) = $0 { mark } else { nil } }
        #expect(marks.sorted() == [7, 107, 207, 300, 400])
        withExtendedLifetime((registry, delegate)) {}
    }

    @Test("an async method with metadata is one of that form; one on the main actor comes after the return")
    func otherAsync() async throws {
        defer { app.end() }
        let door = app.door
        let received: @Sendable (PKPushPayload) async -> Void = { _ in _ = door.say(.completed(push: -1)) }
        let metadata = AsyncMetadataRegistrar(received: received)
        let registry = await registry(metadata)
        #expect(
            await push(3) == [.completed(push: -1), .returned(push: 7, form: .metadata), .completed(push: 7)])
        let onMain = await MainRegistrar(received: received)
        registry.delegate = onMain
        #expect(Set(await push(3)) == [.completed(push: -1), .completed(push: 7), .returned(push: 7, form: .async)])
        withExtendedLifetime((metadata, onMain)) {}
    }

    @Test("a payload has the types of JSONSerialization, whatever comes", arguments: ["[]", "{", "null", ""])
    func payload(broken: String) async throws {
        defer { app.end() }
        let seen = AsyncStream<Int>.makeStream()
        let delegate = DeprecatedRegistrar { payload in
            seen.continuation.yield(payload.dictionaryPayload.count)
        }
        let registry = await registry(delegate)
        _ = await push(1, broken)
        _ = await push(1, #"{"a": 1, "b": true, "c": {"d": [null]}, "e": "é"}"#)
        var counts = seen.stream.makeAsyncIterator()
        #expect(await counts.next() == 0)
        #expect(await counts.next() == 4)
        withExtendedLifetime((registry, delegate)) {}
    }

    @Test("a registry that nothing keeps, and a delegate, are missed")
    func lost() async throws {
        defer { app.end() }
        var delegate: Registrar? = Registrar()
        var registry: PKPushRegistry? = await registry(try #require(delegate))
        delegate = nil
        centre.say(.push(1, payload: "{}", mustReport: true))
        let lost = await centre.first { if case .warning(let code, let detail) = $0 { (code, detail) } else { nil } }
        #expect(lost?.0 == CodeWord(.registryLost) && lost?.1.contains("delegate") == true)
        registry = nil
        let gone = await centre.first { if case .warning(let code, let detail) = $0 { (code, detail) } else { nil } }
        #expect(gone?.0 == CodeWord(.registryLost) && gone?.1.contains("PKPushRegistry") == true)
        #expect(await centre.next() == .said(.registry([])))
        _ = registry
    }

    @Test("a registry is said anew to a centre that comes again")
    func again() async throws {
        defer { app.end() }
        let delegate = Registrar()
        let registry = await registry(delegate)
        centre.hangUp()
        #expect(await centre.next() == .left)
        #expect(await centre.welcome(after: 2) == [.hello(app.hello), .registry(["voip"])])
        withExtendedLifetime((registry, delegate)) {}
    }
}
