import EventLoop
import Syscalls

extension Command {
    /// `belfry watch`.
    static let watch = Command(
        name: "watch", synopsis: ["watch"], summary: "who rings, live, and how each call ends",
        details: "Ends with Ctrl-C. Times are seconds since it began. With --json one object a line."
    ) { context throws(CommandError) in
        let access = try GroupAccess(context)
        CallWatch(context, access.file, try makeLoop()).run()
        return .done
    }

    /// A loop for this command.
    static func makeLoop() throws(CommandError) -> Loop {
        do throws(SystemError) {
            return try Loop()
        } catch {
            throw CommandError(.defect, "there is no event loop: \(error)")
        }
    }
}
