public import BelfryAppGroup
import BelfrySyscalls
import CallLedger
public import RingEar

extension StateDirectory {
    /// The picture files that the missed calls of all groups refer to; nil if a group cannot be read, so that the
    /// answer is not known.
    public func listedPictures(runtime: RuntimeDirectory) -> Set<String>? {
        guard let groups = try? groups() else { return nil }
        var pictures: Set<String> = []
        for group in groups {
            let ledgerFile = LedgerFile(state: self, runtime: runtime, group: group)
            guard !ledgerFile.file.snapshot().isUnreadable else { return nil }
            pictures.formUnion((ledgerFile.read()?.missedCalls ?? []).compactMap(\.picture))
        }
        return pictures
    }
}
