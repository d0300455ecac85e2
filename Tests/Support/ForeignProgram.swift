/// A program that knows nothing of Belfry and takes no lock.
public enum ForeignProgram {
    /// Has it put another property list, without `key`, in the place of the one at `path`; what it complains of.
    public static func remove(_ key: String, from path: String) throws -> [String] {
        let program = """
            import os, plistlib, sys
            values = plistlib.load(open(sys.argv[1], "rb"))
            del values[sys.argv[2]]
            plistlib.dump(values, open(sys.argv[1] + ".new", "wb"))
            os.rename(sys.argv[1] + ".new", sys.argv[1])
            """
        let run = try ProgramRun("/usr/bin/python3", ["-c", program, path, key])
        _ = run.lines()
        return run.complaints()
    }
}
