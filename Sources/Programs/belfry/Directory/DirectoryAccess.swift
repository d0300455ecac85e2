import BelfryAppGroup
import BelfryCommandLine
import BelfrySettings
import BelfrySyscalls
import CallDirectory
import CallDirectoryFiles
import DirectoryLoading

extension Context {
    /// The state directory.
    func stateDirectory() throws(CommandError) -> StateDirectory {
        guard let state = StateDirectory(environment: Environment(environment)) else {
            throw CommandError(
                .unavailable, "there is no telling where the state is kept", "set HOME or BELFRY_STATE_DIRECTORY")
        }
        return state
    }

    /// The folder of the call directory, which is made.
    func directoryFolder() throws(CommandError) -> DirectoryFolder {
        guard let folder = try directoryFolder(makes: true) else {
            preconditionFailure("a folder that is made is there")
        }
        return folder
    }

    /// The folder of the call directory; nil if there is none and it is not made.
    func directoryFolder(makes: Bool) throws(CommandError) -> DirectoryFolder? {
        let state = try stateDirectory()
        do throws(SystemError) {
            return try DirectoryFolder.open(inStateDirectory: state.path, makes: makes)
        } catch {
            throw CommandError(.unavailable, "the call directory cannot be used", "\(error)")
        }
    }

    /// The extensions of the call directory that are configured.
    var directoryExtensions: DirectoryExtensions {
        DirectoryExtensions(
            appPaths: loaded.settings.appPaths, extensionPaths: loaded.settings.directoryExtensions)
    }
}

extension CommandError {
    /// The command's failure for that of the person's list.
    init(_ failure: ListFailure) {
        switch failure {
        case .damaged(let detail):
            self.init(
                .badNotification, "your list is damaged, and stays as it is: \(detail)",
                "belfry directory clear, then import what was exported")
        case .unwritable(let detail):
            self.init(.unavailable, "your list cannot be written, and is as it was", detail)
        }
    }

    /// The command's failure for a number that is none.
    init(_ status: ProgramStatus, _ fault: NumberFault) { self.init(status, fault.description, fault.remedy) }
}
