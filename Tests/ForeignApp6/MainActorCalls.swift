import CallKit

/// On the main actor, with a conformance that asserts it, as Swift 6 has it.
@MainActor
package final class MainActorCalls: NSObject, @preconcurrency CXProviderDelegate {
    package private(set) var events: [String] = []
    private let provider = CXProvider(configuration: CXProviderConfiguration())
    private let controller = CXCallController(queue: .main)

    package override init() {
        super.init()
        provider.setDelegate(self, queue: nil)
    }

    package func providerDidReset(_ provider: CXProvider) { events.append("reset") }

    package func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        events.append("answer")
        Task { @MainActor in action.fulfill() }
    }

    package func report(_ uuid: UUID) async throws {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: "anna")
        try await provider.reportNewIncomingCall(with: uuid, update: update)
    }

    package func hangUp(_ uuid: UUID) async throws {
        try await controller.requestTransaction(with: CXEndCallAction(call: uuid))
    }
}

/// On the main actor, with methods that are not.
@MainActor
package final class NonisolatedCalls: NSObject, CXProviderDelegate {
    package private(set) var isAnswered = false

    nonisolated package func providerDidReset(_ provider: CXProvider) {}

    nonisolated package func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        Task { @MainActor in
            isAnswered = true
            action.fulfill()
        }
    }
}
