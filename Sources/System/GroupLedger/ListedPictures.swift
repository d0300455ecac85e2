public import BelfryAppGroup
import BelfrySyscalls
import CallLedger
public import RingEar

extension StateDirectory {
    /// The files of the pictures that missed calls of any group are listed with; nil if a group cannot be read, so that
    /// there is no telling.
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
