public import BelfryBus
public import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import Glibc

/// A real session bus on which a test plays whoever the desktop asks. Only for a process of its own, since that one's
/// environment names the bus.
public final class PlayedBus {
    /// Where its and the tests' connections are.
    public let loop: Loop
    /// What is answered; nil for nothing.
    public var answer: (BusMessage) -> [BusValue]? = { _ in nil }
    /// Called with all that comes, after it was answered.
    public var heard: (BusMessage) -> Void = { _ in }
    private let folder = TemporaryFolder()
    private let daemon: ChildProcess
    private let player: SessionBus

    /// A bus on which `names` have somebody.
    public init(_ names: String...) throws {
        let address = "unix:path=\(folder.path)/bus"
        let configuration = """
            <busconfig><type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth><policy context="default">
            <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
            """
        let file = folder.write(Array(configuration.utf8), to: "bus.conf")
        let output = try DescriptorPair.pipe()
        daemon = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/setpriv",
                arguments: [
                    "--pdeathsig", "KILL", "dbus-daemon", "--config-file=\(file)", "--nofork", "--print-address=1",
                ],
                streams: [0: .null, 1: .descriptor(output.writing.number)]))
        output.writing.close()
        guard LineReader(output.reading).next(startingWith: "unix:", within: 60_000) != nil else {
            preconditionFailure("dbus-daemon does not begin")
        }
        unsafe setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
        loop = try Loop()
        player = try SessionBus(on: loop)
        player.onMessage = { [unowned self] in take($0) }
        for name in names {
            player.callBus("RequestName", [.string(name), .uint32(0)]) { [loop] _ in loop.stop() }
            run()
        }
    }

    private func take(_ message: BusMessage) -> Bool {
        if let values = answer(message) { message.reply(values) }
        heard(message)
        // What is not answered here stays so.
        return message.kind == .call
    }

    /// Has signals from `path` heard as well.
    public func listen(to path: String) { player.callBus("AddMatch", [.string("type='signal',path='\(path)'")]) }

    /// Goes on until the loop is stopped. Traps after a minute: what was waited for did not come.
    public func run() {
        let patience = loop.schedule(at: loop.now + .seconds(60), description: "patience") {
            preconditionFailure("what was waited for did not come")
        }
        loop.run()
        patience.cancel()
    }

    /// Takes the bus away from everybody: when this returns, nobody listens there.
    public func kill() throws {
        try daemon.signal(SIGKILL)
        _ = try daemon.waitUntilExit()
    }
}
