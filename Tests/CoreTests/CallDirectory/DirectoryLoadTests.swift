import CallDirectory
import Support
import Testing

/// The rules of a load.
@Suite struct DirectoryLoadTests {
    private static func failure(_ body: () throws(DirectoryFailure) -> Void) -> DirectoryFailure.Code? {
        do throws(DirectoryFailure) {
            try body()
            return nil
        } catch { return error.code }
    }

    @Test("numbers ascend within a kind, over all its batches, at both ends of what an integer holds")
    func order() throws {
        var load = DirectoryLoad(isIncremental: false, entriesMax: 100)
        try load.add([.min, -1, 0, 1], to: .blocking)
        try load.add([0, 1], to: .identification)
        try load.add([2, .max], to: .blocking)
        #expect(load[.blocking].added == 6 && load[.identification].added == 2)
    }

    @Test("an equal number is a duplicate, a smaller one out of order; a batch's first entry is held against the last")
    func refused() {
        for (numbers, code) in [
            ([5, 5], DirectoryFailure.Code.duplicateEntries), ([5, 4], .entriesOutOfOrder), ([3], .duplicateEntries),
            ([2], .entriesOutOfOrder),
        ] {
            var load = DirectoryLoad(isIncremental: true, entriesMax: 100)
            let found = Self.failure { () throws(DirectoryFailure) in
                try load.add([1, 3], to: .identification)
                try load.add(numbers.map { Int64($0) }, to: .identification)
            }
            #expect(found == code, "\(numbers)")
        }
    }

    @Test("a refusal says which entry it was, and both numbers")
    func words() {
        var load = DirectoryLoad(isIncremental: false, entriesMax: 100_000)
        let error = #expect(throws: DirectoryFailure.self) {
            try load.add(Array(1...9_999), to: .blocking)
            try load.add([7], to: .blocking)
        }
        #expect(error?.description == "blocking entry 10000 is 7, after 9999")
    }

    @Test("both kinds together may have so many entries, and no more")
    func many() {
        var load = DirectoryLoad(isIncremental: false, entriesMax: 4)
        #expect(Self.failure { () throws(DirectoryFailure) in try load.add([1, 2], to: .blocking) } == nil)
        #expect(Self.failure { () throws(DirectoryFailure) in try load.add([1, 2], to: .identification) } == nil)
        let code = Self.failure { () throws(DirectoryFailure) in try load.add([3], to: .blocking) }
        #expect(code == .maximumEntriesExceeded)
        var removing = DirectoryLoad(isIncremental: true, entriesMax: 1)
        #expect(Self.failure { () throws(DirectoryFailure) in try removing.remove([1], from: .blocking) } == nil)
        let removal = Self.failure { () throws(DirectoryFailure) in try removing.remove([2], from: .blocking) }
        #expect(removal == .maximumEntriesExceeded)
    }

    @Test("a whole load removes nothing", arguments: EntryKind.allCases)
    func removal(kind: EntryKind) {
        var load = DirectoryLoad(isIncremental: false, entriesMax: 4)
        let single = Self.failure { () throws(DirectoryFailure) in try load.remove([1], from: kind) }
        let all = Self.failure { () throws(DirectoryFailure) in try load.removeAll(of: kind) }
        #expect(single == .unexpectedIncrementalRemoval && all == .unexpectedIncrementalRemoval)
    }
}

/// What the sources say together.
@Suite struct NumberVerdictTests {
    private static let spam = NumberSource.extension(id: "a.spam", app: "Spam")
    private static let names = NumberSource.extension(id: "a.names", app: "Names")

    private func verdict(_ said: (NumberSource, Bool, String?)...) -> NumberVerdict {
        var verdict = NumberVerdict()
        for (source, isBlocked, label) in said {
            verdict.add(NumberEntry(1, isBlocked: isBlocked, label: label), from: source)
        }
        return verdict
    }

    @Test("a contact wins and is never blocked")
    func contact() {
        let found = verdict((.contacts, false, "Ann"), (.list, true, nil), (Self.spam, true, "Spam"))
        #expect(!found.isBlocked && found.label == "Ann" && found.labelledBy == .contacts && found.title == "Ann")
    }

    @Test("then the person's list decides: what it labels, no extension blocks")
    func list() {
        #expect(verdict((.list, true, nil), (Self.spam, false, "x")).blockedBy == .list)
        let named = verdict((.list, false, "Doctor"), (Self.spam, true, "Spam"))
        #expect(!named.isBlocked && named.label == "Doctor" && named.title == "Doctor")
    }

    @Test("then extensions: the first label counts, and any of them blocks")
    func extensions() {
        let both = verdict((Self.names, false, "Shop"), (Self.spam, true, "Spam"))
        #expect(both.blockedBy == Self.spam && both.labelledBy == Self.names && both.title == "Names: Shop")
        let other = verdict((Self.spam, true, "Spam"), (Self.names, false, "Shop"))
        #expect(other.blockedBy == Self.spam && other.title == "Spam: Spam" && other.isFinal)
        #expect(verdict().title == nil && !verdict().isFinal)
        #expect(verdict((Self.names, false, ""), (Self.spam, false, "S")).labelledBy == Self.spam)
    }
}
