import BelfryAppleGround
import BelfryTerms
public import CallKit
import Foundation

/// A call directory extension whose numbers are those of a ``NumberStore``:
///
/// ```swift
/// import BelfryNumberStore
/// import DirectoryProcess
///
/// DirectoryProcess.run(NumberStoreProvider(group: "group.com.example.phone"))
/// ```
///
/// It gives the numbers in their order. On an incremental load it gives only what has changed since its last successful
/// load, removals included; all of it, if that is not known.
open class NumberStoreProvider: CXCallDirectoryProvider {
    private let store: NumberStore

    /// A provider of the numbers in the store of the app group `group`.
    public init(group: String) {
        store = NumberStore(group: group)
        super.init()
    }

    /// Gives the numbers, and completes the request; cancels it with a ``NumberStoreError`` if the store cannot be
    /// read.
    open override func beginRequest(with context: CXCallDirectoryExtensionContext) {
        do {
            let folder = try store.folder()
            let content = try folder.read()
            let id = Self.identifier
            if context.isIncremental {
                let loaded = id.flatMap { folder.loaded(by: $0) }
                if let loaded, loaded.id == content.id {
                    Self.give(content, since: loaded.changed, to: context)
                } else {
                    context.removeAllBlockingEntries()
                    context.removeAllIdentificationEntries()
                    Self.give(content, to: context)
                }
            } else {
                Self.give(content, to: context)
            }
            let loaded = NumberStoreFolder.Loaded(id: content.id, changed: content.changed)
            context.completeRequest { isExpired in
                guard !isExpired, let id else { return }
                do {
                    try folder.note(loaded, by: id)
                } catch {
                    // The next load gives more than it needs to.
                    KeeperDoor.warn(.groupUnwritable, "what the call directory has loaded is not noted: \(error)")
                }
            }
        } catch {
            context.cancelRequest(withError: error)
        }
    }

    /// The extension's identifier, by which is noted what it has loaded; in a test of it one for all.
    private static var identifier: GroupName? { GroupName(KeeperDoor.bundle.bundleIdentifier ?? "extension") }

    private static func give(_ content: NumberStoreContent, to context: CXCallDirectoryExtensionContext) {
        for row in content.blocked.numbers { context.addBlockingEntry(withNextSequentialPhoneNumber: row.number) }
        for row in content.identified.numbers {
            context.addIdentificationEntry(withNextSequentialPhoneNumber: row.number, label: row.label)
        }
    }

    private static func give(
        _ content: NumberStoreContent, since date: Int64, to context: CXCallDirectoryExtensionContext
    ) {
        let (blocked, identified) = (content.blocked.changes(since: date), content.identified.changes(since: date))
        for row in blocked where row.isRemoved { context.removeBlockingEntry(withPhoneNumber: row.number) }
        for row in blocked where !row.isRemoved {
            context.addBlockingEntry(withNextSequentialPhoneNumber: row.number)
        }
        // Also of what has another label now: on iOS a number may have several.
        for row in identified { context.removeIdentificationEntry(withPhoneNumber: row.number) }
        for row in identified where !row.isRemoved {
            context.addIdentificationEntry(withNextSequentialPhoneNumber: row.number, label: row.label)
        }
    }
}
