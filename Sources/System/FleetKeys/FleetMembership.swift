public import BelfryAppGroup
public import BelfryEventLoop
import BelfrySyscalls
public import Fleet
import Glibc

/// Which fleet the machine of a state directory belongs to: the credential by which it joined, in a file for its owner
/// alone. It is a gateway, or a machine, and never both.
public struct FleetMembership: Sendable {
    private static let folderName = "fleet"

    private let state: StateDirectory

    /// The one of `state`.
    public init(state: StateDirectory) { self.state = state }

    /// The credential by which it joined; nil if it belongs to no fleet. It may have ended meanwhile.
    public func credential() throws(FleetError) -> FleetCredential? {
        guard let directory = try directory(makes: false) else { return nil }
        for name in Self.names {
            let bytes: [UInt8]?
            do throws(SystemError) {
                bytes = try directory.read(name, bytesMax: FleetCredential.bytesMax)?.bytes
            } catch {
                throw FleetError("\(error)")
            }
            guard let bytes else { continue }
            do throws(FleetCredentialError) {
                return try FleetCredential(bytes: bytes)
            } catch {
                throw FleetError("\(directory.path)/\(name): \(error)", .unusable)
            }
        }
        return nil
    }

    /// Calls `changed` when another credential than `known` is kept, or none; nil where that cannot be watched.
    public func watch(
        on loop: Loop, instead known: FleetCredential, _ changed: @escaping () -> Void
    ) -> DirectorySource? {
        guard let directory = try? directory(makes: false) else { return nil }
        return try? loop.watchDirectory(directory.descriptor.number, description: "credential") {
            // One that cannot be read is told of by whoever is started with it.
            if (try? credential()) != known { changed() }
        }
    }

    /// Whether it joined as a gateway, without a look at its credential.
    public static func isGateway(_ state: StateDirectory) -> Bool {
        unsafe access("\(state.path)/\(folderName)/\(name(of: .gateway))", F_OK) == 0
    }

    /// Keeps `credential`, so that it outlives a power cut, in place of the one there was.
    public func keep(_ credential: FleetCredential) throws(FleetError) {
        guard let directory = try directory(makes: true) else { return }
        let name = Self.name(of: credential.role)
        do throws(SystemError) {
            // A command that was killed may have left one.
            try directory.remove("\(name).new")
            try directory.replace(
                name, with: Array(credential.text.utf8), temporaryName: "\(name).new", in: directory, isDurable: true)
            for other in Self.names where other != name { try directory.remove(other) }
        } catch {
            throw FleetError("\(error)")
        }
    }

    /// Removes the credential; whether there was one, however damaged.
    public func leave() throws(FleetError) -> Bool {
        guard let directory = try directory(makes: false) else { return false }
        do throws(SystemError) {
            var hadOne = false
            for name in Self.names {
                hadOne = try directory.identity(of: name) != nil || hadOne
                try directory.remove(name)
            }
            return hadOne
        } catch {
            throw FleetError("\(error)")
        }
    }

    private static var names: [String] { [FleetRole.gateway, .machine].map(name(of:)) }

    private static func name(of role: FleetRole) -> String { role.names.rawValue }

    private func directory(makes: Bool) throws(FleetError) -> Directory? {
        do throws(SystemError) {
            return try Directory.open(path: state.path, makes: makes).openDirectory(Self.folderName, makes: makes)
        } catch  where error.errno == ENOENT && !makes {
            return nil
        } catch {
            throw FleetError("the folder of the fleet's credential cannot be opened: \(error)")
        }
    }
}
