package import BelfryEventLoop
package import BelfrySyscalls
package import BelfryTerms

/// Accepts connections at a Unix socket that listens: one at a time, so that other sources have their turns in between.
///
/// If there is no descriptor for a waiting connection, it pauses: otherwise the loop would call again and again.
package final class SocketListener {
    /// How long it pauses.
    package static let rest = TimeSpan.milliseconds(100)

    /// Who may connect.
    package enum Peers {
        /// This user and root. Their sockets do not block.
        case ours
        /// Everybody: the receiver of the connection judges them. Their sockets block.
        case everybody
    }

    private let socket: Int32
    private let peers: Peers
    private let hasRoom: () -> Bool
    private let loop: any EventLoop
    private let description: String
    private let accepted: (consuming OwnedDescriptor) -> Void
    private var source: (any LoopWatch)?
    private var timer: (any ScheduledTimer)?
    private let keepsSpare: Bool
    /// A descriptor to give up for the next connection, if the process has no other left.
    private var spare: OwnedDescriptor?

    /// Listens at `socket`, which the caller still owns, and gives `accepted` each connection.
    ///
    /// - Parameters:
    ///   - keepsSpare: whether a descriptor is reserved for a connection that comes when there is no other.
    ///   - hasRoom: asked before each: if there is no room, connections wait in the socket until ``resume()``.
    package init(
        at socket: Int32, for peers: Peers = .ours, keepsSpare: Bool = false,
        hasRoom: @escaping () -> Bool = { true }, on loop: any EventLoop, description: String,
        _ accepted: @escaping (consuming OwnedDescriptor) -> Void
    ) throws(SystemError) {
        self.socket = socket
        self.peers = peers
        self.keepsSpare = keepsSpare
        self.hasRoom = hasRoom
        self.loop = loop
        self.description = description
        self.accepted = accepted
        try watch()
        if keepsSpare { spare = try? makePacketSocket() }
    }

    deinit { pause() }

    /// Accepts no connection until ``resume()``: they wait in the socket.
    package func pause() {
        source?.cancel()
        source = nil
        timer?.cancel()
        timer = nil
        spare = nil
    }

    /// Accepts again; does nothing if it does.
    package func resume() {
        guard source == nil else { return }
        timer?.cancel()
        timer = nil
        do throws(SystemError) { try watch() } catch { waitOutShortage() }
    }

    private func watch() throws(SystemError) {
        source = try loop.watch(descriptor: socket, events: .readable, description: description) { [weak self] _ in
            self?.accept()
        }
    }

    private func accept() {
        guard hasRoom() else { return pause() }
        let descriptor: OwnedDescriptor
        do throws(SystemError) {
            guard let next = try next() else { return }
            descriptor = next
        } catch {
            return waitOutShortage()
        }
        accepted(descriptor)
    }

    private func next() throws(SystemError) -> OwnedDescriptor? {
        guard keepsSpare else { return try acceptOne() }
        if spare == nil { spare = try? makePacketSocket() }
        do throws(SystemError) {
            return try acceptOne()
        } catch  where spare != nil {
            spare = nil
            return try acceptOne()
        }
    }

    private func acceptOne() throws(SystemError) -> OwnedDescriptor? {
        switch peers {
        case .ours: try acceptOurs(at: socket)
        case .everybody: try acceptAnyone(at: socket)
        }
    }

    private func waitOutShortage() {
        pause()
        timer = loop.schedule(at: loop.now + Self.rest, description: description) { [weak self] in self?.resume() }
    }
}
