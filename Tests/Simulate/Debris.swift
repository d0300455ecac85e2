import BelfryAppGroup
import BelfryPropertyList
import BelfryTerms
import GroupLedger
import RingEar

/// What dead writers leave where notes and pictures are.
extension World {
    /// A process that never was, as the name of a note has it.
    private static let nobody = "-99999-7"

    /// Whether `name`, beside a group file, is that of nonsense.
    static func isNonsense(_ name: String) -> Bool { name.contains(nobody) }

    /// Files that look like notes and make no sense, of a writer that is dead: they disturb nothing, and do not stay.
    func layNonsense(_ ending: String, isParsed: Bool) {
        let name = "\(machine.bootTime.microseconds)\(Self.nobody).\(ending)"
        guard let folders = machine.node(at: "/run/rings")?.names.values else { return }
        for folder in folders {
            let node = machine.make(.file, in: folder)
            node.bytes = isParsed ? PropertyListDictionary().serializedXML() : Array("nonsense".utf8)
            machine.set(name, in: folder, to: node)
        }
    }

    /// A group file has just been broken by a program that is writing it: a worker that ends now removes old pictures,
    /// but none that a missed call is listed with (docs/operations.md).
    func removesPictures(listedIn bytes: [UInt8], of group: Int) {
        let root = try? PropertyListDictionary.parse(bytes)
        let listed = (root?["missedCalls"]?.arrayValue ?? []).compactMap { $0.dictionaryValue?["picture"]?.stringValue }
        guard !listed.isEmpty else { return }
        machine.spawn().perform { [self] in
            let state = StateDirectory(path: statePath(of: group))
            let kept = state.listedPictures(runtime: RuntimeDirectory(path: "/run"))
            oracle.note("pictures removed")
            oracle.demand(kept?.isSuperset(of: listed) ?? true, "the picture of a missed call is removed")
        }
    }
}
