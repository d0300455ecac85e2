public import BelfrySyscalls

extension GroupFile {
    /// The file beside this one that keeps the ends of calls, which no process reads that only rings.
    private var endsName: String { "\(name).ends" }

    /// The bytes of the ends; empty if there is no such file, nil if it is longer than `bytesMax` or cannot be read.
    public func readEnds(bytesMax: Int) -> [UInt8]? {
        do throws(SystemError) {
            guard try openDirectories(makes: false) else { return [] }
            return try directories?.preferences.read(endsName, bytesMax: bytesMax)?.bytes ?? []
        } catch {
            return nil
        }
    }

    /// Writes `bytes` behind the ends, or in their place. Call it in a change of this file, and so under its lock.
    public func writeEnds(_ bytes: [UInt8], isAddition: Bool) throws(SystemError) {
        guard isAddition else {
            try directories?.preferences.write(bytes, as: endsName, aside: "\(endsName).unfinished")
            return
        }
        guard let opened = try directories?.preferences.openForAppending(endsName) else { return }
        try writeAll(bytes, to: opened.file.number, path: "\(path).ends")
    }
}
