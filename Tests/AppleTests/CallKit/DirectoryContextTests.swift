import BelfrySyscalls
import BelfryTerms
import CallDirectory
import CallKit
import KeeperChannel
import Testing

/// What an extension's code does with its context, and what its loader hears of it.
@Suite struct DirectoryContextTests {
    /// A loader that writes down what it hears, and refuses what a test says.
    private final class Loader: DirectoryHost {
        struct Heard {
            var words: [String] = []
            var batches: [DirectoryBatch] = []
            var warnings: [WarningCode] = []
            var overs = 0
        }

        let mayBeIncremental: Bool
        let heard = LockedValue(Heard())
        private let refuses: @Sendable (String) -> DirectoryFailure?

        init(mayBeIncremental: Bool = false, refuses: @escaping @Sendable (String) -> DirectoryFailure? = { _ in nil })
        {
            (self.mayBeIncremental, self.refuses) = (mayBeIncremental, refuses)
        }

        var words: [String] { heard.withLock { $0.words } }
        var warnings: [WarningCode] { heard.withLock { $0.warnings } }

        func carryOut(_ word: DirectoryWord, _ entries: DirectoryEntries?) -> DirectoryFailure? {
            let said =
                switch word {
                case .add(let kind, let count): "add \(kind) \(count)"
                case .remove(let kind, let count): "remove \(kind) \(count)"
                case .removeAll(let kind): "removeAll \(kind)"
                case .whole: "whole"
                case .cancel(let domain, let code, _): "cancel \(domain) \(code)"
                case .complete, .returned, .done: "?"
                }
            heard.withLock { heard in
                heard.words.append(said)
                guard let entries else { return }
                let hasLabels = if case .add(.identification, _) = word { true } else { false }
                let batch = try? DirectoryBatch(entries.bytes, count: Int64(entries.count), hasLabels: hasLabels)
                heard.batches += batch.map { [$0] } ?? []
            }
            return refuses(said)
        }

        func complete(_ completion: @escaping @Sendable (Bool) -> Void) {
            heard.withLock { $0.words.append("complete") }
            completion(false)
        }

        func requestIsOver() { heard.withLock { $0.overs += 1 } }

        func warn(_ code: WarningCode, _ detail: String) { heard.withLock { $0.warnings.append(code) } }
    }

    /// A delegate that remembers the codes.
    private final class Delegate: NSObject, CXCallDirectoryExtensionContextDelegate {
        var codes: [Int] = []

        func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
            codes.append((error as NSError).code)
        }
    }

    @Test("entries go by 10,000 of a kind, and the rest at the end; labels whole or cut between characters")
    func batches() {
        let loader = Loader()
        let context = CXCallDirectoryExtensionContext(DirectoryRequest(by: loader))
        for number in 1...20_001 as ClosedRange<Int64> {
            context.addBlockingEntry(withNextSequentialPhoneNumber: number)
        }
        #expect(loader.words == ["add blocking 10000", "add blocking 10000"])
        context.addIdentificationEntry(withNextSequentialPhoneNumber: .min, label: "")
        context.addIdentificationEntry(
            withNextSequentialPhoneNumber: .max, label: String(repeating: "a", count: 1_023) + "é")
        context.completeRequest()
        #expect(loader.words.suffix(3) == ["add blocking 1", "add identification 2", "complete"])
        let batches = loader.heard.withLock { $0.batches }
        #expect(batches[1].numbers == Array(10_001...20_000) && batches[2].numbers == [20_001])
        #expect(batches[3].numbers == [.min, .max] && batches[3].labels.map(\.count) == [0, 1_023])
    }

    @Test("a refusal is told with its batch; what follows is ignored, and completing it is no mistake")
    func refusal() {
        let loader = Loader { $0 == "add blocking 10000" ? DirectoryFailure(.duplicateEntries, "") : nil }
        let context = CXCallDirectoryExtensionContext(DirectoryRequest(by: loader))
        let delegate = Delegate()
        context.delegate = delegate
        for number in 1...9_999 as ClosedRange<Int64> {
            context.addBlockingEntry(withNextSequentialPhoneNumber: number)
        }
        #expect(delegate.codes.isEmpty)
        context.addBlockingEntry(withNextSequentialPhoneNumber: 9_999)
        #expect(delegate.codes == [4] && loader.heard.withLock { $0.overs } == 1)
        context.addBlockingEntry(withNextSequentialPhoneNumber: 10_000)
        context.removeAllBlockingEntries()
        let expired = LockedValue<[Bool]>([])
        context.completeRequest { isExpired in expired.withLock { $0.append(isExpired) } }
        #expect(expired.withLock { $0 } == [true] && loader.words.count == 1 && loader.warnings.isEmpty)
    }

    @Test("a difference is one for code that asks; code that does not says that it sends all")
    func incremental() {
        let asks = Loader(mayBeIncremental: true)
        var context = CXCallDirectoryExtensionContext(DirectoryRequest(by: asks))
        #expect(context.isIncremental)
        context.addBlockingEntry(withNextSequentialPhoneNumber: 1)
        context.removeBlockingEntry(withPhoneNumber: 2)
        context.removeBlockingEntry(withPhoneNumber: 3)
        context.removeAllIdentificationEntries()
        context.completeRequest()
        let words = ["add blocking 1", "removeAll identification", "remove blocking 2", "complete"]
        #expect(asks.words == words)
        let removes = Loader(mayBeIncremental: true)
        context = CXCallDirectoryExtensionContext(DirectoryRequest(by: removes))
        context.removeAllBlockingEntries()
        context.completeRequest()
        #expect(removes.words == ["removeAll blocking", "complete"])
        let silent = Loader(mayBeIncremental: true)
        context = CXCallDirectoryExtensionContext(DirectoryRequest(by: silent))
        context.addBlockingEntry(withNextSequentialPhoneNumber: 1)
        context.completeRequest()
        #expect(silent.words == ["whole", "add blocking 1", "complete"] && !context.isIncremental)
    }

    @Test("a removal where none may be is sent at once")
    func removal() {
        let loader = Loader { $0.hasPrefix("remove") ? DirectoryFailure(.unexpectedIncrementalRemoval, "") : nil }
        let context = CXCallDirectoryExtensionContext(DirectoryRequest(by: loader))
        let delegate = Delegate()
        context.delegate = delegate
        context.removeIdentificationEntry(withPhoneNumber: 1)
        #expect(delegate.codes == [8] && loader.words == ["remove identification 1"])
    }

    @Test("after the end entries are counted, and a second end is told")
    func afterTheEnd() {
        let loader = Loader()
        let request = DirectoryRequest(by: loader)
        let context = CXCallDirectoryExtensionContext(request)
        request.warnOfLateEntries()
        context.cancelRequest(withError: NSError(domain: "app", code: 7))
        #expect(loader.words == ["cancel app 7"] && loader.warnings.isEmpty)
        context.addBlockingEntry(withNextSequentialPhoneNumber: 1)
        context.cancelRequest(withError: NSError(domain: "app", code: 7))
        context.completeRequest(returningItems: nil, completionHandler: nil)
        request.warnOfLateEntries()
        #expect(loader.warnings == [.directoryIncomplete, .directoryIncomplete, .directoryAsync])
    }
}
