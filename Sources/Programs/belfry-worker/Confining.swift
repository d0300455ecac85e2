import BelfrySyscalls
import ExtensionKeeping

/// What an extension's process is before it is the extension's program: it gives up what it does not need.
enum Confining {
    /// Becomes `program`. Returns the exit status of shells for what cannot be run, if it cannot.
    static func run(_ program: String) -> Int32 {
        do throws(SystemError) {
            try ExtensionConfinement.become(program)
        } catch {
            complain("belfry-worker: \(program) cannot be run: \(error)")
            return 126
        }
    }
}
