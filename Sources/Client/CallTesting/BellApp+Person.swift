import BelfryEventLoopExecutor
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
public import BelfryTesting
import CallChannel

// What the person does with calls that go on, in the way of belfry(1): the same actions, into the same delegates.
extension BellApp {
    /// Ends the call `id`, its id or its UUID, of this app or of another one, or the active one.
    ///
    /// Returns once the delegate has performed it, or at once if it is so already. Throws
    /// ``BelfryTesting/BellError/Code/noSuchCall`` if no such call goes on, and
    /// ``BelfryTesting/BellError/Code/notDone``, which says why, if the app has failed the action, its time was over,
    /// or the call does not support it. So do all of these.
    public func end(_ id: String? = nil) async throws(BellError) { try await command(.end, id) }

    /// Holds the call `id`, or the active one; see ``end(_:)``.
    public func hold(_ id: String? = nil) async throws(BellError) { try await command(.hold(true), id) }

    /// Goes on with the call `id`, or with the one that was held last, which puts all others on hold; see ``end(_:)``.
    public func resume(_ id: String? = nil) async throws(BellError) { try await command(.hold(false), id) }

    /// Has the person not be heard in the call `id`, or in the active one; see ``end(_:)``.
    public func mute(_ id: String? = nil) async throws(BellError) { try await command(.mute(true), id) }

    /// Has the person be heard again in the call `id`, or in the active one; see ``end(_:)``.
    public func unmute(_ id: String? = nil) async throws(BellError) { try await command(.mute(false), id) }

    /// Plays `digits` to the other side of the call `id`, or of the active one: 0 to 9, A to D, `*` and `#`, with `,`
    /// and `;` for pauses; see ``end(_:)``.
    public func keypad(_ digits: String, _ id: String? = nil) async throws(BellError) {
        try await command(.keypad(digits), id)
    }

    /// Has the call `id`, or the active one, join the other call of its app that goes on; see ``end(_:)``.
    public func merge(_ id: String? = nil) async throws(BellError) { try await command(.merge, id) }

    /// Takes the call `id`, or the active one, out of its group; see ``end(_:)``.
    public func split(_ id: String? = nil) async throws(BellError) { try await command(.split, id) }

    private func command(_ command: CallCommand, _ id: String?) async throws(BellError) {
        guard let socketPath else { throw BellError(.stopped, "the app has ended") }
        let line: CentreLine<ClientAnswer>
        do throws(SystemError) {
            line = try CentreLine(at: socketPath, on: place.executor.loop, read: { try? ClientAnswer.read($0) })
        } catch {
            throw BellError(.notServed, "belfry-calls cannot be asked: \(error)")
        }
        line.send(ClientMessage.command(command, call: id).line)
        let answer = await line.next(within: TimeSpan(place.patience.forOne))
        line.close()
        switch answer {
        case .done?: return
        case .noCall(let why)?: throw BellError(.noSuchCall, Printable.escaped(why))
        case .failed(let why)?: throw BellError(.notDone, Printable.escaped(why))
        case .apps?, .calls?, nil:
            throw BellError(.notServed, "belfry-calls has not answered: see bell.workersWords()")
        }
    }
}
