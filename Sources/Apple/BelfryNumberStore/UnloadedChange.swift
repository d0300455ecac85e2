import BelfryAppDoor
import BelfrySyscalls
import BelfryTerms
import CallKit
import Foundation

/// A change of a store. If no reload follows it, the call directory goes on with the old numbers, which an app's author
/// sees only by a call.
struct UnloadedChange: Hashable {
    private static let queue = DispatchQueue(label: "belfry.number-store.changes")
    /// The last change of each group's store by this process.
    private static let last = LockedValue<[String: Int]>([:])

    private let group: String
    private let number: Int
    private let reloads: Int

    /// The store of `group` has just been changed.
    init(in group: String) {
        self.group = group
        reloads = CXCallDirectoryManager.reloads
        number = Self.last.withLock { last in
            last[group, default: 0] += 1
            return last[group, default: 0]
        }
    }

    /// Whether nothing was loaded since, and nothing changed: who changes it again and again has the reload at the end.
    var isLast: Bool { Self.last.withLock { $0[group] } == number && CXCallDirectoryManager.reloads == reloads }

    /// Warns in ten seconds, unless it is loaded by then.
    func expectReload() {
        let door = AppDoor.current
        Self.queue.asyncAfter(deadline: .now() + 10) {
            guard isLast else { return }
            door.warn(
                .directorySilentReload,
                "the number store of \(group) has changed, and the call directory has the old numbers: call "
                    + "CXCallDirectoryManager's reloadExtension(withIdentifier:)")
        }
    }
}
