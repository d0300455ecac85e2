import BelfryEventLoop
import BelfryPropertyList
import BelfrySyscalls
public import BelfryTerms
import CBelfryLinux

extension GroupFile {
    /// For this long after its last change, an unreadable file may still be in the middle of being written in place.
    static let writtenInPlaceTime = TimeSpan.milliseconds(100)
    /// How long a transaction waits for such a writer in all.
    static let writtenInPlaceTimeMax = TimeSpan.milliseconds(500)
    /// How often it looks meanwhile.
    static let writtenInPlaceInterval = TimeSpan.milliseconds(10)
    /// How many times a change is made, if another program keeps replacing the file meanwhile.
    static let attemptsMax = 4

    /// Makes one try of `transaction`; nil if it is to be tried again, for which a timer is then set. A file that
    /// cannot be read is set aside (R13), and if the folder is removed meanwhile, the file is written into a new one,
    /// but only once: `isAnew`.
    func perform(_ transaction: PendingTransaction, isAnew: Bool = false) -> TransactionEnd? {
        do throws(SystemError) {
            _ = try openDirectories(makes: true)
        } catch {
            return fail(transaction, error)
        }
        var warnings: [GroupWarning] = []
        var lock: FileLock?
        do throws(SystemError) {
            lock = try directories?.tryLock(lockName)
            if lock == nil {
                if transaction.isObsolete() { return TransactionEnd(outcome: .unchanged, warnings: [], waited: .zero) }
                switch lockAdvice(transaction) {
                case .again(let instant):
                    retry(transaction, at: instant)
                    return nil
                case .passOver: warnings.append(heldWarning(butWritten: true))
                case .giveUp(let isPassedOn):
                    let error = SystemError(errno: EWOULDBLOCK, call: "flock", subject: path)
                    return fail(transaction, error, isPassedOn ? [] : [heldWarning(butWritten: false)])
                }
            }
        } catch {
            warnings.append(.locked(holder: nil, detail: "written without a lock: \(error)"))
        }
        defer { lock = nil }
        do throws(SystemError) {
            // A process that was stopped, and whose lock others have ignored meanwhile, must not write an old version
            // over theirs (R22).
            for attempt in 1...GroupFile.attemptsMax {
                var found = try read()
                // Never set a file aside from memory: read the file itself once more.
                if found.isUnreadable {
                    forget()
                    found = try read()
                }
                if case .unreadable(let detail) = found.status {
                    if retriesReading(transaction, found) { return nil }
                    if let warning = try setAside(found, detail: detail) { warnings.append(warning) }
                }
                let old: OldVersion =
                    attempt == GroupFile.attemptsMax ? .any : .known(found.isUnreadable ? nil : found.identity)
                let edit = apply(transaction, to: found, isLocked: lock != nil)
                let outcome = write(edit, over: found, old: old)
                if case .failed(let error) = outcome {
                    if error.errno == ESTALE { continue }
                    // Once only: with a folder that keeps being removed this would not end.
                    if !isAnew, try directories?.preferences.isRemoved() == true {
                        return perform(transaction, isAnew: true)
                    }
                }
                return TransactionEnd(outcome: outcome, warnings: warnings, waited: waited(transaction))
            }
            preconditionFailure("the last attempt takes the file for whatever it is")
        } catch {
            return fail(transaction, error, warnings)
        }
    }

    /// Makes the change although the file is out of reach: a call is never lost to a file.
    private func fail(
        _ transaction: PendingTransaction,
        _ error: SystemError,
        _ warnings: [GroupWarning] = []
    ) -> TransactionEnd {
        _ = apply(transaction, to: unusable(because: error), isLocked: false)
        return TransactionEnd(outcome: .failed(error), warnings: warnings, waited: waited(transaction))
    }

    private func apply(_ transaction: PendingTransaction, to found: GroupSnapshot, isLocked: Bool) -> GroupEdit {
        var edit = GroupEdit(root: found.root, found: found, isLocked: isLocked)
        isChanging = true
        transaction.change(&edit)
        isChanging = false
        return edit
    }

    private func write(_ edit: GroupEdit, over found: GroupSnapshot, old: OldVersion) -> GroupOutcome {
        // A durable change is written even if the file has it already: its writer may have died before the file was
        // flushed.
        guard edit.root != found.root || edit.isDurable else { return .unchanged }
        // What nobody could read would be set aside, with all that is in the file.
        if let excess = edit.root.excess {
            return .failed(SystemError(errno: EFBIG, call: "write", subject: "\(path): \(excess)"))
        }
        let bytes = edit.root.serializedXML()
        guard bytes.count <= GroupFile.bytesMax else {
            let detail = "\(path): more than \(GroupFile.bytesMax) bytes"
            return .failed(SystemError(errno: EFBIG, call: "write", subject: detail))
        }
        do throws(SystemError) {
            let identity = try directories?.replace(
                name, old: old, with: bytes, isDurable: edit.isDurable, tidies: !hasTidied)
            hasTidied = true
            if let identity { rememberWritten(edit.root, bytes: bytes, identity: identity) }
            return .written
        } catch {
            return .failed(error)
        }
    }

    private func lockAdvice(_ transaction: PendingTransaction) -> LockPatience.Advice {
        let identity = (try? directories?.preferences.identity(of: name)) ?? nil
        return transaction.patience.advice(at: transaction.timers.now, file: identity) {
            guard let holder = directories?.lockHolder(lockName) else { return false }
            // A lock that this process itself holds is not released while it waits.
            return holder != ProcessIdentity.current.pid && ProcessIdentity.isBusy(pid: holder)
        }
    }

    /// A file that a careless program writes in place is unreadable for a moment: setting it aside then would lose it.
    private func retriesReading(_ transaction: PendingTransaction, _ found: GroupSnapshot) -> Bool {
        guard let next = nextReading(of: found, since: transaction.begun, now: transaction.timers.now) else {
            return false
        }
        retry(transaction, at: next)
        return true
    }

    /// When to read an unreadable file again, since another program may be writing it in place; nil if it is readable,
    /// or was not changed lately, or has been read again often enough since `begun`.
    public func nextReading(of found: GroupSnapshot, since begun: Instant, now: Instant) -> Instant? {
        guard found.isUnreadable, let modifiedAt = found.modifiedAt, now - begun < GroupFile.writtenInPlaceTimeMax
        else { return nil }
        // After a clock was set back, files carry times in the future, but are not being written.
        let age = now - modifiedAt
        let limit = GroupFile.writtenInPlaceTime
        guard age < limit && age > TimeSpan.zero - limit else { return nil }
        return now + GroupFile.writtenInPlaceInterval
    }

    private func heldWarning(butWritten isWritten: Bool) -> GroupWarning {
        let holder = directories?.lockHolder(lockName)
        let name = holder.map { "process \($0)" } ?? "an unknown process"
        let end = isWritten ? "; written without it" : " and is at work"
        return .locked(holder: holder, detail: "\(name) keeps the lock of \(path)\(end)")
    }

    private func waited(_ transaction: PendingTransaction) -> TimeSpan { transaction.timers.now - transaction.begun }

    /// Renames the unreadable file out of the way (R13); nil if it has been replaced by now.
    private func setAside(_ found: GroupSnapshot, detail: String) throws(SystemError) -> GroupWarning? {
        let keptAs = try directories?.setAside(name, if: found.identity)
        forget()
        return keptAs.map { .corrupt(keptAs: $0, detail: "\(detail); kept as \($0)") }
    }
}
