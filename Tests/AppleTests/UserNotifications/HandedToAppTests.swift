import BelfryAppGroup
import BelfryTerms
import CallKit
import Foundation
import KeeperChannel
import Support
import Synchronization
import Testing
import UserNotifications
import WidgetKit

/// What an extension hands on to its app, and to the app's widgets.
@Suite struct HandedToAppTests {
    private final class Told: Sendable {
        let words = Mutex<[KeeperDoor.Word]>([])

        var asked: [String] {
            words.withLock { $0 }.compactMap {
                if case .asked(let asked) = $0 { "\(asked.what) \(asked.detail)" } else { nil }
            }
        }
        /// Warnings of payloads: code that other tests run beside these, without a host, may warn here of its own.
        var warnings: Int {
            words.withLock { $0 }.count {
                if case .warning(.unsupported, let detail) = $0 { detail.contains("voip payload") } else { false }
            }
        }
    }

    private let folder = TemporaryFolder()
    private let told = Told()

    /// Runs `body` as code of an extension whose Info.plist has the filtering entitlement, or not.
    private func runAsExtension(isEntitled: Bool, _ body: () async throws -> Void) async throws {
        // Foundation reads a bundle's Info.plist once.
        let name = isEntitled ? "Entitled.appex" : "Other.appex"
        let bundle = folder.makeFolder(name)
        let entitlement = isEntitled ? "<key>com.apple.developer.usernotifications.filtering</key><true/>" : ""
        let plist = """
            <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.app.extension</string>\
            \(entitlement)</dict></plist>
            """
        folder.write(Array(plist.utf8), to: "\(name)/Info.plist")
        let greeting = KeeperGreeting(stateDirectory: folder.makeFolder("state"), memoryBytesMax: 1)
        let door = KeeperDoor.open(greeting, bundle: bundle) { [told] word in told.words.withLock { $0.append(word) } }
        defer { door.close() }
        try await door.run { try await body() }
    }

    private var kept: [String] {
        guard let names = try? FileManager.default.subpathsOfDirectory(atPath: "\(folder.path)/state/voip-payloads"),
            let name = names.first(where: { $0.hasSuffix(".plist") }),
            let data = FileManager.default.contents(atPath: "\(folder.path)/state/voip-payloads/\(name)"),
            let root = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        else { return [] }
        return root["payloads"] as? [String] ?? []
    }

    @Test("a call is kept for the app, and the host is told; the newest twenty stay")
    func payload() async throws {
        try await runAsExtension(isEntitled: true) {
            for number in 1...22 { try await CXProvider.reportNewIncomingVoIPPushPayload(["callId": number]) }
        }
        #expect(kept == (3...22).map { #"{"callId":\#($0)}"# })
        #expect(told.asked.count == 22 && told.asked[0] == "voip-payload 12 bytes")
        #expect(told.warnings == 0)
    }

    @Test("without the entitlement, and what is no JSON, is refused with Apple's number and a warning")
    func refused() async throws {
        try await runAsExtension(isEntitled: false) {
            await #expect(
                throws: CXErrorCodeNotificationServiceExtensionError(.missingNotificationFilteringEntitlement)
            ) {
                try await CXProvider.reportNewIncomingVoIPPushPayload(["callId": 1])
            }
        }
        try await runAsExtension(isEntitled: true) {
            await #expect(throws: CXErrorCodeNotificationServiceExtensionError(.unknown)) {
                try await CXProvider.reportNewIncomingVoIPPushPayload(["at": Date()])
            }
        }
        #expect(kept.isEmpty && told.asked.isEmpty && told.warnings == 2)
        let error = CXErrorCodeNotificationServiceExtensionError(.missingNotificationFilteringEntitlement)
        let bridged = error as NSError
        #expect(bridged.domain == "com.apple.CallKit.error.notificationserviceextension" && bridged.code == 2)
        for words in [error.errorDescription, error.localizedDescription, bridged.localizedDescription] {
            #expect(words == "The extension has no notification filtering entitlement")
        }
    }

    @Test("widgets that are to be drawn anew are told")
    func widgets() async throws {
        try await runAsExtension(isEntitled: false) {
            WidgetCenter.shared.reloadAllTimelines()
            WidgetCenter.shared.reloadTimelines(ofKind: "clock")
        }
        #expect(told.asked == ["widgets all", "widgets clock"])
    }
}
