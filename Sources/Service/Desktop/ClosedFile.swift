import BelfryAppGroup
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import Showing

/// Which missed calls the person has closed on the screen that are still listed: not shown again at the next login,
/// which is why it is on the disk.
struct ClosedFile {
    private static let name = "desktop.closed"
    private static let bytesMax = 1 << 20

    /// The folder that it is in.
    let state: StateDirectory

    /// What was closed; nothing if that cannot be read.
    func read() -> [MissedMark] {
        guard let folder = try? Directory.open(path: state.path, makes: false),
            let content = try? folder.read(Self.name, bytesMax: Self.bytesMax),
            case .array(let entries)? = try? JSONValue.parse(content.bytes, limits: JSONLimits(bytesMax: Self.bytesMax))
        else { return [] }
        return entries.compactMap { entry in
            guard case .object(let entry) = entry, let group = entry["group"]?.stringValue.flatMap(GroupName.init),
                let call = entry["call"]?.stringValue, case .integer(let missed)? = entry["missed"]
            else { return nil }
            return MissedMark(id: ShownCallID(group: group, call: call), missed: missed)
        }
    }

    /// Keeps `marks`; removes the file if there are none.
    func write(_ marks: Set<MissedMark>) {
        guard let folder = try? Directory.open(path: state.path, makes: true) else { return }
        guard !marks.isEmpty else {
            _ = try? folder.remove(Self.name)
            return
        }
        let entries = marks.map { mark in
            JSONValue.object([
                "group": .string(mark.id.group.text), "call": .string(mark.id.call), "missed": .integer(mark.missed),
            ])
        }
        _ = try? folder.write(JSONValue.array(entries).serialized(), as: Self.name, aside: "\(Self.name).new")
    }
}
