import BelfryAppGroup
import BelfryAppleGround
import BelfryTerms
public import CallKit
import Foundation

/// A number with the name of whoever it is.
public struct IdentifiedNumber: Hashable, Sendable {
    /// The number: country code and national number as digits.
    public var number: CXCallDirectoryPhoneNumber
    /// Whose it is.
    public var label: String

    /// A number with a name.
    public init(_ number: CXCallDirectoryPhoneNumber, label: String) { (self.number, self.label) = (number, label) }
}

/// Why the store was not changed, or cannot be read.
public enum NumberStoreError: Error, Hashable, Sendable {
    /// No number with a country code has these digits: they are zero or less, or more than 15.
    case wrongNumber(CXCallDirectoryPhoneNumber)
    /// The number's label is empty, or longer than 1,024 bytes.
    case wrongLabel(CXCallDirectoryPhoneNumber)
    /// There would be more than 2,000,000 numbers of a kind.
    case full
    /// The group has no container: its name is none that a group can have, or there is no place for state.
    case noContainer(String)
    /// The file is none of a store, or of a later version; it is left as it is.
    case damaged(String)
    /// The file cannot be read or written, and why.
    case failed(String)
}

/// The numbers that an app blocks and names, in the container of its app group: for the app and for its call directory
/// extension, which may use it at once.
///
/// Each operation is done when it returns: what it changed is on disk. One that throws has changed nothing. Of several
/// at once, none loses what another has done.
///
/// ```swift
/// let store = NumberStore(group: "group.com.example.phone")
/// try await store.addBlocked([14085555555])
/// try await store.addIdentified([IdentifiedNumber(18005555555, label: "Telemarketer")])
/// try await CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: "com.example.phone.numbers")
/// ```
///
/// The extension is a ``NumberStoreProvider``.
public final class NumberStore: Sendable {
    private static let queue = DispatchQueue(label: "belfry.number-store", attributes: .concurrent)

    private let group: String

    /// The store of the app group `group`, such as `group.com.example.phone`.
    public init(group: String) { self.group = group }

    // MARK: Blocked numbers

    /// The numbers that are blocked, in ascending order.
    public var blockedNumbers: [CXCallDirectoryPhoneNumber] {
        get async throws { try await read { $0.blocked.numbers.map(\.number) } }
    }

    /// Blocks numbers. One that is blocked already stays so.
    public func addBlocked(_ numbers: [CXCallDirectoryPhoneNumber]) async throws {
        try NumberStoreRules.check(numbers)
        try await change { content, date throws(NumberStoreError) in
            try content.blocked.set(numbers.map { ($0, "") }, at: date)
        }
    }

    /// Blocks numbers no longer. One that is not blocked is no error.
    public func removeBlocked(_ numbers: [CXCallDirectoryPhoneNumber]) async throws {
        try await change { content, date in content.blocked.remove(numbers, at: date) }
    }

    /// Blocks no number any longer.
    public func removeAllBlocked() async throws {
        try await change { content, date in content.blocked.removeAll(at: date) }
    }

    // MARK: Identified numbers

    /// The numbers that have names, in ascending order.
    public var identifiedNumbers: [IdentifiedNumber] {
        get async throws {
            try await read { content in
                content.identified.numbers.map { IdentifiedNumber($0.number, label: $0.label) }
            }
        }
    }

    /// Names numbers. One that has a name gets the new one; of several for one number, the last counts.
    public func addIdentified(_ numbers: [IdentifiedNumber]) async throws {
        try NumberStoreRules.check(numbers.map(\.number))
        try NumberStoreRules.check(labels: numbers)
        try await change { content, date throws(NumberStoreError) in
            try content.identified.set(numbers.map { ($0.number, $0.label) }, at: date)
        }
    }

    /// Takes the names of numbers away. One without a name is no error.
    public func removeIdentified(_ numbers: [CXCallDirectoryPhoneNumber]) async throws {
        try await change { content, date in content.identified.remove(numbers, at: date) }
    }

    /// Takes all names away.
    public func removeAllIdentified() async throws {
        try await change { content, date in content.identified.removeAll(at: date) }
    }

    // MARK: The file

    /// The store's folder, as the calling code has it: another thread may belong to nobody.
    func folder() throws(NumberStoreError) -> NumberStoreFolder {
        guard let name = GroupName(group) else {
            throw .noContainer("\(group): an app group has \(GroupName.rule)")
        }
        guard let state = KeeperDoor.stateDirectory else { throw .noContainer("\(group): there is no place for state") }
        return NumberStoreFolder(state: state, group: name)
    }

    private func read<Result: Sendable>(
        _ body: @escaping @Sendable (NumberStoreContent) -> Result
    ) async throws -> Result {
        let folder = try folder()
        return try await onQueue { () throws(NumberStoreError) in body(try folder.read()) }
    }

    private func change(
        _ body: @escaping @Sendable (inout NumberStoreContent, Int64) throws(NumberStoreError) -> Void
    ) async throws {
        let folder = try folder()
        let isChanged = try await onQueue { () throws(NumberStoreError) in try folder.change(body) }
        if isChanged { UnloadedChange(in: group).expectReload() }
    }

    /// Carries out `body`, which waits for a lock and a disk, apart from the threads of the caller's tasks.
    private func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable () throws(NumberStoreError) -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Self.queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}

/// What a store takes.
enum NumberStoreRules {
    /// More digits than this has no number (E.164).
    private static let numberMax: Int64 = 999_999_999_999_999
    private static let labelBytesMax = 1_024
    /// How many numbers of a kind there may be: as many as a load of the call directory takes.
    static let numbersMax = 2_000_000

    static func check(_ numbers: [Int64]) throws(NumberStoreError) {
        for number in numbers where !(1...numberMax).contains(number) { throw .wrongNumber(number) }
    }

    static func check(labels numbers: [IdentifiedNumber]) throws(NumberStoreError) {
        for number in numbers where !(1...labelBytesMax).contains(number.label.utf8.count) {
            throw .wrongLabel(number.number)
        }
    }
}
