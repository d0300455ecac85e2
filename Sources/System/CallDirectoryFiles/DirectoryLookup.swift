import BelfrySyscalls
import BelfryTerms
public import CallDirectory

/// Looks numbers up in all sources.
public enum DirectoryLookup {
    /// What the sources say of `number`: the address book, the person's list, and the extensions that are enabled, in
    /// the person's order. Without a folder in the state directory at `path` that is one system call.
    ///
    /// What cannot be read counts as absent, and `complain` is told why: a number that is not found rings.
    public static func verdict(
        on number: Int64, inStateDirectory path: String, complain: (String) -> Void
    ) -> NumberVerdict {
        var verdict = NumberVerdict()
        do throws(SystemError) {
            guard let folder = try DirectoryFolder.open(inStateDirectory: path, makes: false) else { return verdict }
            verdict = self.verdict(on: number, in: folder, complain: complain)
        } catch {
            complain("\(error)")
        }
        return verdict
    }

    /// Looks handles up that are numbers by `plan`.
    public static func ofHandles(_ plan: DialingPlan, inStateDirectory path: String) -> NumberLookUp {
        { handle, complain in
            guard let number = plan.number(of: handle) else { return NumberVerdict() }
            return verdict(on: number, inStateDirectory: path, complain: complain)
        }
    }

    /// The same in a folder that is open.
    public static func verdict(
        on number: Int64, in folder: DirectoryFolder, complain: (String) -> Void
    ) -> NumberVerdict {
        var verdict = NumberVerdict()
        ask(.contacts, .contacts, of: number, in: folder, &verdict, complain)
        ask(.list, .list, of: number, in: folder, &verdict, complain)
        guard !verdict.isFinal else { return verdict }
        for record in DirectoryRecords(in: folder).all where record.isEnabled && !verdict.isFinal {
            let source = NumberSource.extension(id: record.id.text, app: record.app)
            ask(.extension(record.id), source, of: number, in: folder, &verdict, complain)
        }
        return verdict
    }

    private static func ask(
        _ owner: TableOwner, _ source: NumberSource, of number: Int64, in folder: DirectoryFolder,
        _ verdict: inout NumberVerdict, _ complain: (String) -> Void
    ) {
        guard !verdict.isFinal else { return }
        do {
            guard let file = try NumberTableFile(of: owner, in: folder) else { return }
            if let entry = try file.entry(of: number) { verdict.add(entry, from: source) }
        } catch {
            complain("\(error)")
        }
    }
}
