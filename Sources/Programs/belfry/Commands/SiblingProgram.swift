import BelfryCommandLine
import BelfrySyscalls
import Glibc

/// A program beside this one that has commands of its own, and the libraries that they need.
enum SiblingProgram {
    /// Becomes the program `name`, with `first` and the words of this command line: a signal to this process ends it.
    static func run(_ name: String, _ first: [String], _ context: Context) throws(CommandError) -> ProgramStatus {
        var words = first + context.options.arguments
        if context.wantsJSON { words.append("--json") }
        guard let path = programBeside(name), unsafe access(path, X_OK) == 0 else {
            throw CommandError(.unavailable, "there is no \(name) beside belfry", "make install")
        }
        do throws(SystemError) {
            try becomeProgram(path, words, environment: context.environment)
        } catch {
            throw CommandError(.unavailable, "\(path) cannot be run: \(error)")
        }
    }
}
