import BelfryAppGroup
import BelfryAppleGround
import BelfryPropertyList

/// The interactions that code donated to the system, kept for one app: `donations/groups/…` in the state directory.
enum Donations {
    /// The most donations kept; then the oldest are removed.
    private static let donationsMax = 100
    private static let key = "donations"

    private static let queue = DispatchQueue(label: "belfry.donations")

    /// Changes the kept donations, and then calls `completion` with nil.
    static func change(
        _ body: @escaping @Sendable (inout [[String: String]]) -> Void,
        _ completion: (@Sendable ((any Error)?) -> Void)?
    ) {
        KeeperDoor.current.run(on: queue) {
            KeeperDoor.changeFile(in: "donations") { edit in
                var donations = read(edit.root)
                body(&donations)
                edit.root[key] = .array(donations.suffix(donationsMax).map(value))
            }
            completion?(nil)
        }
    }

    /// Waits until `start` has called its argument.
    static func finished(_ start: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async {
        await withCheckedContinuation { continuation in start { _ in continuation.resume() } }
    }

    private static func read(_ root: PropertyListDictionary) -> [[String: String]] {
        (root[key]?.arrayValue ?? []).compactMap { value in
            guard case .dictionary(let dictionary) = value else { return nil }
            return dictionary.members.reduce(into: [:]) { $0[$1.key] = $1.value.stringValue }
        }
    }

    private static func value(_ donation: [String: String]) -> PropertyListValue {
        var dictionary = PropertyListDictionary()
        for (name, text) in donation.sorted(by: { $0.key < $1.key }) { dictionary[name] = .string(text) }
        return .dictionary(dictionary)
    }
}
