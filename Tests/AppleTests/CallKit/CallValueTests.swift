import BelfryAppDoor
import BelfryTerms
import CallChannel
import CallKit
import Foundation
import PushKit
import Support
import Testing

/// CallKit's values: defaults, equality, copies, archives and errors as Apple's are.
@Suite(.timeLimit(.minutes(10))) struct CallValueTests {
    private func archived<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
    }

    @Test("handles are equal by their values, and survive an archive")
    func handles() throws {
        let handle = CXHandle(type: .phoneNumber, value: "+1")
        #expect(handle == CXHandle(type: .phoneNumber, value: "+1"))
        #expect(handle.hash == CXHandle(type: .phoneNumber, value: "+1").hash)
        #expect(handle != CXHandle(type: .generic, value: "+1") && handle != CXHandle(type: .phoneNumber, value: "1"))
        #expect(Set([handle, CXHandle(type: .phoneNumber, value: "+1")]).count == 1)
        #expect(handle.copy() as? CXHandle == handle)
        #expect(try archived(handle) == handle)
        #expect([CXHandle.HandleType.generic, .phoneNumber, .emailAddress].map(\.rawValue) == [1, 2, 3])
    }

    @Test("an update says what was assigned, and a copy says the same")
    func updates() throws {
        let update = CXCallUpdate()
        #expect(update.remoteHandle == nil && update.localizedCallerName == nil)
        #expect(!update.hasVideo && !update.supportsHolding && !update.supportsGrouping)
        #expect(!update.supportsUngrouping && !update.supportsDTMF)
        update.remoteHandle = CXHandle(type: .emailAddress, value: "a@b")
        update.supportsHolding = true
        let copy = try #require(update.copy() as? CXCallUpdate)
        update.supportsHolding = false
        #expect(copy.supportsHolding && copy.remoteHandle?.value == "a@b")
    }

    @Test("a configuration has Apple's defaults, and warns of its name")
    func configuration() async throws {
        let app = try PlayedApp()
        defer { app.end() }
        app.door.connect()
        _ = await app.centre.welcome(after: 1)
        let configuration = CXProviderConfiguration()
        #expect(configuration.maximumCallGroups == 2 && configuration.maximumCallsPerCallGroup == 5)
        #expect(configuration.includesCallsInRecents && !configuration.supportsVideo)
        #expect(configuration.supportedHandleTypes.isEmpty && configuration.ringtoneSound == nil)
        #expect(configuration.iconTemplateImageData == nil && !configuration.supportsAudioTranslation)
        app.door.run { configuration.localizedName = "Phone" }
        configuration.ringtoneSound = "ring.caf"
        let copy = try #require(configuration.copy() as? CXProviderConfiguration)
        #expect(copy.localizedName == "Phone" && copy.ringtoneSound == "ring.caf")
        let warned = await app.centre.first { if case .warning(let code, _) = $0 { code } else { nil } }
        #expect(warned == CodeWord(.localizedNameAssigned))
    }

    @Test("an action of the code's own has no outcome; all kinds survive copy and archive")
    func actions() throws {
        let call = UUID()
        let handle = CXHandle(type: .generic, value: "anna")
        let start = CXStartCallAction(call: call, handle: handle)
        start.isVideo = true
        start.contactIdentifier = "7"
        let actions: [CXCallAction] = [
            start, CXAnswerCallAction(call: call), CXEndCallAction(call: call),
            CXSetHeldCallAction(call: call, onHold: true), CXSetMutedCallAction(call: call, muted: true),
            CXSetGroupCallAction(call: call, callUUIDToGroupWith: call),
            CXPlayDTMFCallAction(call: call, digits: "12", type: .hardPause),
            CXSetTranslatingCallAction(
                call: call, isTranslating: true, localLanguage: .init(identifier: "de"),
                remoteLanguage: .init(identifier: "fr")),
        ]
        for action in actions {
            action.fulfill()
            action.fail()
            #expect(!action.isComplete && action.timeoutDate > Date())
            let copy = try #require(action.copy() as? CXCallAction)
            #expect(type(of: copy) == type(of: action) && copy.uuid == action.uuid && copy.callUUID == call)
        }
        let transaction = CXTransaction(actions: actions)
        let unarchived = try archived(transaction)
        #expect(unarchived.uuid == transaction.uuid)
        #expect(unarchived.actions.map(\.uuid) == actions.map(\.uuid))
        #expect(unarchived.actions.map { "\(type(of: $0))" } == actions.map { "\(type(of: $0))" })
        let started = try #require(unarchived.actions[0] as? CXStartCallAction)
        #expect(started.handle == handle && started.isVideo && started.contactIdentifier == "7")
        #expect((unarchived.actions[3] as? CXSetHeldCallAction)?.isOnHold == true)
        #expect((unarchived.actions[4] as? CXSetMutedCallAction)?.isMuted == true)
        #expect((unarchived.actions[5] as? CXSetGroupCallAction)?.callUUIDToGroupWith == call)
        let tones = try #require(unarchived.actions[6] as? CXPlayDTMFCallAction)
        #expect(tones.digits == "12" && tones.type == .hardPause)
        #expect((unarchived.actions[7] as? CXSetTranslatingCallAction)?.remoteLanguage == .init(identifier: "fr"))
        // 5 s for most, a minute for an answer, ten for a start.
        let left = actions.prefix(3).map { ($0.timeoutDate.timeIntervalSinceNow / 60).rounded() }
        #expect(left == [10, 1, 0])
    }

    @Test("a transaction has its actions in their order")
    func transactions() {
        let transaction = CXTransaction()
        #expect(transaction.actions.isEmpty && transaction.isComplete)
        let actions = [CXAction(), CXAction()]
        for action in actions { transaction.addAction(action) }
        #expect(transaction.actions == actions && !transaction.isComplete)
        #expect(CXTransaction(action: actions[0]).actions == [actions[0]])
    }

    @Test("errors match by their codes, as structs and as NSErrors")
    func errors() {
        func caught(_ error: any Error) -> String {
            do {
                throw error
            } catch CXErrorCodeIncomingCallError.callUUIDAlreadyExists {
                return "exists"
            } catch CXErrorCodeRequestTransactionError.unknownCallUUID {
                return "unknown"
            } catch CXErrorCodeCallDirectoryManagerError.entriesOutOfOrder {
                return "order"
            } catch CXError.missingVoIPBackgroundMode {
                return "mode"
            } catch CXErrorCodeNotificationServiceExtensionError.invalidClientProcess {
                return "process"
            } catch {
                return "other"
            }
        }
        #expect(caught(CXErrorCodeIncomingCallError(.callUUIDAlreadyExists)) == "exists")
        #expect(caught(NSError(domain: CXErrorDomainIncomingCall, code: 2)) == "exists")
        #expect(caught(NSError(domain: CXErrorDomainRequestTransaction, code: 2)) == "other")
        #expect(caught(CXErrorCodeRequestTransactionError(.unknownCallUUID)) == "unknown")
        #expect(caught(NSError(domain: "com.apple.CallKit.error.calldirectorymanager", code: 3)) == "order")
        #expect(caught(CXError(.missingVoIPBackgroundMode)) == "mode")
        #expect(caught(CXErrorCodeNotificationServiceExtensionError(.invalidClientProcess)) == "process")
        let error: any Error = CXErrorCodeIncomingCallError(.filteredByDoNotDisturb)
        #expect((error as NSError).domain == "com.apple.CallKit.error.incomingcall" && (error as NSError).code == 3)
        #expect((error as NSError).userInfo.isEmpty)
        #expect((error as? CXErrorCodeIncomingCallError)?.code == .filteredByDoNotDisturb)
        #expect(CXErrorCodeIncomingCallError(.unknown) == CXErrorCodeIncomingCallError(.unknown))
    }

    @Test("push types are Apple's")
    func pushTypes() {
        #expect(
            PKPushType.voIP.rawValue == "PKPushTypeVoIP" && PKPushType.fileProvider.rawValue == "PKPushTypeFileProvider"
        )
        #expect(PKPushType(rawValue: "PKPushTypeVoIP") == .voIP)
    }

    @Test("an observer has the calls of all apps, and hears of each change once")
    func observer() async throws {
        final class Watcher: NSObject, CXCallObserverDelegate, @unchecked Sendable {
            let (changes, tell) = AsyncStream.makeStream(of: CXCall.self)
            func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall) { tell.yield(call) }
        }
        let app = try PlayedApp()
        defer { app.end() }
        let watcher = Watcher()
        var changes = watcher.changes.makeAsyncIterator()
        let observer = app.door.run { CXCallController() }.callObserver
        observer.setDelegate(watcher, queue: DispatchQueue(label: "observer"))
        _ = await app.centre.welcome(after: 1)
        let (first, second) = (UUID(), UUID())
        var ringing = ObservedCall(CallUUID(first.uuidString)!)
        let other = ObservedCall(CallUUID(second.uuidString)!)
        app.centre.say(.calls([ringing]))
        let rang = try #require(await changes.next())
        #expect(rang.uuid == first && !rang.isOutgoing && !rang.hasConnected && !rang.hasEnded && !rang.isOnHold)
        ringing.hasConnected = true
        app.centre.say(.calls([ringing, other]))
        let connected = try #require(await changes.next())
        #expect(connected.uuid == first && connected.hasConnected && connected != rang)
        #expect(await changes.next()?.uuid == second)
        #expect(observer.calls.map(\.uuid) == [first, second])
        #expect(observer.calls[0].isEqual(to: connected) && observer.calls[0] == connected)
        ringing.hasEnded = true
        app.centre.say(.calls([ringing, other]))
        #expect(await changes.next()?.hasEnded == true)
        #expect(observer.calls.map(\.uuid) == [second])
        // Without a centre there is no call.
        app.centre.hangUp()
        let gone = await changes.next()
        #expect(gone?.uuid == second && gone?.hasEnded == true)
        #expect(observer.calls.isEmpty)
    }
}
