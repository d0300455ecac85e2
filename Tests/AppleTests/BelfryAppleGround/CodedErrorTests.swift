import AVFAudio
import CallKit
import Contacts
import CoreLocation
import Foundation
import Testing
import UserNotifications

/// Apple's errors, as code catches them.
@Suite struct CodedErrorTests {
    private static let errors: [any Error] = [
        CXError(.unentitled), CXErrorCodeIncomingCallError(.filteredByBlockList),
        CXErrorCodeRequestTransactionError(.unknownCallUUID), CXErrorCodeCallDirectoryManagerError(.duplicateEntries),
        CXErrorCodeNotificationServiceExtensionError(.invalidClientProcess), UNError(.attachmentCorrupt),
        CNError(.authorizationDenied), CLError(.denied), AVError(.decodeFailed),
    ]

    private func failing(with error: any Error) throws { throw error }
    private func failingLater(with error: any Error) async throws { throw error }

    @Test("each is caught as an NSError of its domain, code and words, which casts back", arguments: errors.indices)
    func caught(_ index: Int) async {
        let error = Self.errors[index]
        let known = error as NSError
        let words = error.localizedDescription
        do { try failing(with: error) } catch let error as NSError {
            #expect(error.domain == known.domain && error.code == known.code)
            #expect(error.localizedDescription == words)
        }
        do { try await failingLater(with: error) } catch let error as NSError {
            #expect(error.domain == known.domain && error.code == known.code && error.code != 0)
        }
    }

    @Test("an NSError of the domain is the error again; one of another domain or code is none")
    func back() {
        let same: any Error = NSError(domain: CXErrorDomainIncomingCall, code: 4)
        #expect(same as? CXErrorCodeIncomingCallError == CXErrorCodeIncomingCallError(.filteredByBlockList))
        #expect((same as? CXErrorCodeIncomingCallError)?.code == .filteredByBlockList)
        #expect(same as? CXErrorCodeRequestTransactionError == nil)
        let later: any Error = NSError(domain: CXErrorDomainIncomingCall, code: 400)
        #expect(later as? CXErrorCodeIncomingCallError == nil)
    }
}
