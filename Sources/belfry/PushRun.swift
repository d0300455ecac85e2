import EventLoop
import Events
import JSON
import PushClient

/// One push from the command line: sends it, prints its events, and says how that ended.
final class PushRun {
    private let context: Context
    private let loop: Loop
    private let text: EventText
    private let follows: Bool
    private var connection: PushConnection?
    private var failure: PushError?
    private var isDelivered = false
    private var rejection: (reason: String, detail: String)?
    private var isAccepted = false

    /// Pushes `notification`; `connected` is called before the first event is printed.
    static func push(
        _ notification: [UInt8], _ context: Context, connected: () -> Void = {}
    ) throws(CommandError) -> ProgramStatus {
        try PushRun(context, try Command.makeLoop()).push(notification, connected)
    }

    private init(_ context: Context, _ loop: Loop) {
        self.context = context
        self.loop = loop
        text = EventText(style: context.style)
        follows = !context.options.has("no-follow")
    }

    private func push(_ notification: [UInt8], _ connected: () -> Void) throws(CommandError) -> ProgramStatus {
        let socket = try context.socket()
        do throws(PushError) {
            connection = try PushConnection(
                to: socket, sending: notification, on: loop,
                onLine: { [self] line in print(line) },
                onEnd: { [self] error in
                    failure = error
                    loop.stop()
                })
        } catch {
            throw CommandError(error)
        }
        connected()
        loop.run()
        return try conclusion()
    }

    private func print(_ line: PushConnection.Line) {
        if let event = line.event { note(event) }
        if follows || context.wantsJSON {
            if context.wantsJSON {
                context.output.bytes(line.bytes + [UInt8(ascii: "\n")])
            } else if let event = line.event {
                context.output.line(text.line(event))
            } else {
                // A newer worker may say more than we know.
                context.output.line(Printable.escaped(String(decoding: line.bytes, as: UTF8.self)))
            }
        }
        guard !follows && (isAccepted || rejection != nil) || !context.output.isOpen else { return }
        connection?.cancel()
        loop.stop()
    }

    private func note(_ event: Event) {
        switch event.body {
        case .received: isAccepted = true
        case .delivered: isDelivered = true
        case .rejected(let reason, let detail): rejection = (reason, detail)
        case .ringing, .silent, .tick, .sound, .attachment, .ended, .missed, .warning: break
        }
    }

    private func conclusion() throws(CommandError) -> ProgramStatus {
        if let rejection {
            // Who follows has read it already.
            guard !follows else { return .badNotification }
            throw CommandError(.badNotification, "the notification was rejected: \(rejection.reason)", rejection.detail)
        }
        if let failure { throw CommandError(failure) }
        if isDelivered || (!follows && isAccepted) || !context.output.isOpen { return .done }
        throw CommandError(PushError(.endedEarly, "the connection ended before the notification was delivered"))
    }
}
