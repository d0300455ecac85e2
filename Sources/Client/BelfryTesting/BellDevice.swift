import BelfryServe
import BelfrySyscalls
import BelfryTerms
import PushAPI

/// The virtual device of a bell's endpoint, or of a bell in a fleet.
public struct BellDevice: Sendable {
    fileprivate let bell: Bell

    /// Its id; empty without endpoint and fleet.
    public var id: String { variable("DEVICE") }
    /// The token for all pushes but calls, in hexadecimal digits.
    public var token: String { variable("TOKEN") }
    /// The token for calls.
    public var voipToken: String { variable("VOIP_TOKEN") }

    /// Switches it off, or on again: off, its endpoint or gateway keeps the latest push of each topic until it is on.
    public func setOffline(_ isOffline: Bool) async throws(BellError) {
        guard await bell.isInFleet else {
            let request = ControlRequest.setOffline(isOffline, device: id)
            return try await bell.endpoint.demand(request, orElse: "there is no device \(id)")
        }
        let words = ["device", isOffline ? "offline" : "online", id]
        let command = try await bell.run("belfry-apns", words)
        guard let end = try? await command.waitUntilExit(within: .seconds(30)), end == .exited(0) else {
            throw BellError(.notRecorded, "no gateway has written it down: \(await command.output)")
        }
    }

    private func variable(_ name: String) -> String { bell.environment["BELFRY_APNS_\(name)"] ?? "" }
}

extension Bell {
    /// Its virtual device, if ``BellSettings/hasEndpoint`` or ``BellSettings/fleet``.
    public nonisolated var device: BellDevice { BellDevice(bell: self) }
}

/// What gives a bell a device that push servers push to.
enum BellDeviceServing {
    case endpoint(program: String, bundleID: String?)
    case fleet(ServedFleet.Programs, credential: String, bundleID: String?)

    /// As `settings` say, by programs that are there; nil of those of a bell without.
    init?(_ settings: BellSettings, _ environment: [String: String]) throws(BellError) {
        let bundleID = settings.bundleID
        if settings.hasEndpoint {
            self = .endpoint(program: try Belfry.path(of: "belfry-apns", environment), bundleID: bundleID)
        } else if let credential = settings.fleet {
            let programs = ServedFleet.Programs(
                fleet: try Belfry.path(of: "belfry-fleet", environment),
                devices: try Belfry.path(of: "belfry-apns", environment))
            self = .fleet(programs, credential: credential, bundleID: bundleID)
        } else {
            return nil
        }
    }

    /// Serves it to `bell`, for `app`, that of the bell, if the settings name none.
    func serve(_ bell: Bell, _ app: String?, _ environment: [String: String]) async throws(BellError) {
        switch self {
        case .endpoint(let program, let bundleID):
            do throws(SystemError) {
                try await bell.serveEndpoint(program, bundleID: bundleID ?? app, environment: environment)
            } catch { throw Belfry.notServed(error) }
        case .fleet(let programs, let credential, let bundleID):
            do throws(FleetServingError) {
                try await bell.serveFleet(
                    programs, joiningBy: credential, bundleID: bundleID ?? app, environment: environment)
            } catch {
                throw BellError(
                    error.code, Printable.escaped("no device of a fleet can be served: \(error.description)"))
            }
        }
    }
}

extension FleetServingError {
    fileprivate var code: BellError.Code {
        switch kind {
        case .unreadable: .noSuchFile
        case .unfit: .badSetting
        case .unavailable: .notServed
        }
    }
}
