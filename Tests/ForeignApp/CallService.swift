import CallKit
import PushKit

/// A singleton that wraps its report in a continuation, and a registry whose method is async.
package final class CallService: NSObject, @unchecked Sendable {
    package static let shared = CallService()
    private lazy var provider = CXProvider(configuration: CXProviderConfiguration())

    package func report(_ uuid: UUID, from name: String) async throws {
        let update = CXCallUpdate()
        update.localizedCallerName = name
        update.remoteHandle = CXHandle(type: .emailAddress, value: "\(name)@example.com")
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, Error>) in
            provider.reportNewIncomingCall(with: uuid, update: update) { error in
                if let error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume()
                }
            }
        }
    }

    package func end(_ uuid: UUID) async -> Bool {
        do {
            try await CXCallController().request(CXTransaction(action: CXEndCallAction(call: uuid)))
            return true
        } catch CXErrorCodeRequestTransactionError.unknownCallProvider {
            return false
        } catch {
            return false
        }
    }
}

/// A directory as published ones are.
final class CallDirectoryHandler: CXCallDirectoryProvider {
    override func beginRequest(with context: CXCallDirectoryExtensionContext) {
        context.delegate = self
        if context.isIncremental { context.removeAllBlockingEntries() }
        let numbers: [CXCallDirectoryPhoneNumber] = [1_408_555_5555, 1_800_555_5555]
        for number in numbers { context.addBlockingEntry(withNextSequentialPhoneNumber: number) }
        context.addIdentificationEntry(withNextSequentialPhoneNumber: 1_877_555_5555, label: "Telemarketer")
        context.completeRequest()
    }
}

extension CallDirectoryHandler: CXCallDirectoryExtensionContextDelegate {
    func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: Error) {}
}

extension CallService: CXProviderDelegate {
    package func providerDidReset(_ provider: CXProvider) {}
}
