package import BelfryTerms
package import CallDirectory
import Foundation
package import KeeperChannel

/// Who loads the entries that a call directory's code gives: the loader beyond a channel, or a test.
package protocol DirectoryHost: AnyObject, Sendable {
    /// Whether the load may be a difference.
    var mayBeIncremental: Bool { get }
    /// Carries out what the code wants, with the entries that belong to it, and waits for the answer: nil, or why the
    /// load is refused.
    func carryOut(_ word: DirectoryWord, _ entries: DirectoryEntries?) -> DirectoryFailure?
    /// The load is complete. Calls `completion`, on another thread, once its outcome is known.
    func complete(_ completion: @escaping @Sendable (Bool) -> Void)
    /// The load was refused, and the code knows it; or the code has cancelled it.
    func requestIsOver()
    /// Warns about the code.
    func warn(_ code: WarningCode, _ detail: String)
}

/// Entries of a kind that wait until they are enough for a batch.
package struct DirectoryEntries: Sendable {
    private var numbers: ContiguousArray<Int64> = []
    private var lengths: ContiguousArray<UInt16> = []
    private var texts: ContiguousArray<UInt8> = []

    /// How many there are.
    package var count: Int { numbers.count }

    /// Adds an entry; of a label that is too long, the beginning is kept.
    mutating func add(_ number: Int64, label: String?) {
        numbers.append(number)
        guard let label else { return }
        let before = texts.count
        texts.append(contentsOf: label.utf8)
        if texts.count - before > DirectoryBatch.labelBytesMax {
            var end = before + DirectoryBatch.labelBytesMax
            // Back to where a character begins: UTF-8's further bytes are 10xxxxxx.
            while end > before, texts[end] & 0xC0 == 0x80 { end -= 1 }
            texts.removeLast(texts.count - end)
        }
        lengths.append(UInt16(texts.count - before))
    }

    /// Forgets them, but not the room that they had.
    mutating func removeAll() {
        numbers.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        texts.removeAll(keepingCapacity: true)
    }

    /// As a ``DirectoryBatch`` reads them.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 * numbers.count + 2 * lengths.count + texts.count)
        // The machines that Swift runs on have the lowest byte first, as the batch.
        unsafe numbers.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        unsafe lengths.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: texts)
        return bytes
    }
}

/// One load as the extension's code drives it, from any thread: gathers what it gives, and sends that by batches.
package final class DirectoryRequest: @unchecked Sendable {
    private enum Phase {
        /// The state while entries are taken.
        case open
        /// The state after a refusal: the code may not know it yet, and what it still says is ignored.
        case refused
        /// The state after the code has completed or cancelled it.
        case over
    }

    /// What waits of a kind: entries to be added, or to be removed.
    private struct Waiting {
        var entries = DirectoryEntries()
        var areRemovals = false
    }

    /// The longest text of an error that is passed on, in characters.
    private static let errorCharactersMax = 1_000

    /// Who loads it.
    package let host: any DirectoryHost
    private let lock = NSLock()
    private var phase = Phase.open
    private var blocking = Waiting()
    private var identification = Waiting()
    /// Whether the code knows that the load is a difference.
    private var isKnownAsDifference = false
    private var isSaidWhole = false
    private var lateEntries = 0

    /// A load by `host`.
    package init(by host: any DirectoryHost) { self.host = host }

    /// Whether it is a difference; if it may be one, it is one from now on.
    func isIncremental() -> Bool { lock.withLock { isDifference() } }

    /// Adds an entry. Why the load is refused by that; else nil.
    func add(_ number: Int64, label: String?, to kind: EntryKind) -> DirectoryFailure? {
        lock.withLock { gather(number, label: label, kind, isRemoval: false) }
    }

    /// Removes an entry; likewise.
    func remove(_ number: Int64, from kind: EntryKind) -> DirectoryFailure? {
        lock.withLock {
            guard phase == .open else { return late() }
            let isDifference = isDifference()
            let failure = gather(number, label: nil, kind, isRemoval: true)
            // Where none may be removed, Apple's raises an exception: that is told at once, too.
            return isDifference ? failure : failure ?? send(kind)
        }
    }

    /// Removes all entries; likewise.
    func removeAll(of kind: EntryKind) -> DirectoryFailure? {
        lock.withLock {
            guard phase == .open else { return late() }
            _ = isDifference()
            return send(kind) ?? carryOut(.removeAll(kind), nil)
        }
    }

    /// Completes it; likewise. `completion` hears whether that came to nothing, unless this returns why.
    func complete(_ completion: @escaping @Sendable (Bool) -> Void) -> DirectoryFailure? {
        let (before, failure) = lock.withLock { () -> (Phase, DirectoryFailure?) in
            let before = phase
            guard before == .open else { return (before, nil) }
            let failure = send(.blocking) ?? send(.identification)
            if failure == nil {
                sayWhole()
                phase = .over
            }
            return (before, failure)
        }
        switch before {
        case .open: if failure == nil { host.complete(completion) }
        case .refused: completion(true)
        case .over:
            host.warn(.directoryIncomplete, "the request was completed or cancelled before: only the first time counts")
            completion(true)
        }
        return failure
    }

    /// Cancels it.
    func cancel(_ error: NSError) {
        let isFirst = lock.withLock {
            guard phase == .open else { return phase == .refused }
            phase = .over
            let text = String(error.localizedDescription.prefix(Self.errorCharactersMax))
            let domain = String(error.domain.prefix(Self.errorCharactersMax))
            _ = host.carryOut(.cancel(domain: domain, code: Int64(error.code), text: text), nil)
            return true
        }
        if isFirst { return host.requestIsOver() }
        host.warn(.directoryIncomplete, "the request was completed or cancelled before: only the first time counts")
    }

    /// Warns of entries that came after the end, if there are any.
    package func warnOfLateEntries() {
        let count = lock.withLock { lateEntries }
        guard count > 0 else { return }
        host.warn(.directoryAsync, "\(count) entries were added or removed after the request was over: they are lost")
    }

    private func isDifference() -> Bool {
        guard host.mayBeIncremental, !isSaidWhole else { return false }
        isKnownAsDifference = true
        return true
    }

    private func gather(_ number: Int64, label: String?, _ kind: EntryKind, isRemoval: Bool) -> DirectoryFailure? {
        guard phase == .open else { return late() }
        switch kind {
        case .blocking:
            if blocking.areRemovals != isRemoval, let failure = send(kind) { return failure }
            blocking.areRemovals = isRemoval
            blocking.entries.add(number, label: label)
            return blocking.entries.count < DirectoryBatch.entriesMax ? nil : send(kind)
        case .identification:
            if identification.areRemovals != isRemoval, let failure = send(kind) { return failure }
            identification.areRemovals = isRemoval
            identification.entries.add(number, label: label)
            return identification.entries.count < DirectoryBatch.entriesMax ? nil : send(kind)
        }
    }

    /// Something came after the end.
    private func late() -> DirectoryFailure? {
        if phase == .over { lateEntries += 1 }
        return nil
    }

    /// Sends what waits of a kind.
    private func send(_ kind: EntryKind) -> DirectoryFailure? {
        let waiting = kind == .blocking ? blocking : identification
        guard waiting.entries.count > 0 else { return nil }
        let count = Int64(waiting.entries.count)
        let failure = carryOut(
            waiting.areRemovals ? .remove(kind, count: count) : .add(kind, count: count), waiting.entries)
        forget(kind)
        return failure
    }

    private func forget(_ kind: EntryKind) {
        if kind == .blocking { blocking.entries.removeAll() } else { identification.entries.removeAll() }
    }

    private func carryOut(_ word: DirectoryWord, _ entries: DirectoryEntries?) -> DirectoryFailure? {
        sayWhole()
        let failure = host.carryOut(word, entries)
        if failure != nil { phase = .refused }
        return failure
    }

    /// Code that has not asked if the load is a difference sends all that there is.
    private func sayWhole() {
        guard host.mayBeIncremental, !isKnownAsDifference, !isSaidWhole else { return }
        isSaidWhole = true
        _ = host.carryOut(.whole, nil)
    }
}
