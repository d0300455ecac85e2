public import BelfryEventLoop
public import BelfryProtocol
import BelfrySyscalls
public import PushFollowing

/// What a worker says of its push to those who follow it, without ever blocking: one that does not read loses events.
public final class PushReport {
    private let followers: [Follower]
    private let id: String

    private final class Follower {
        let socket: OwnedDescriptor
        let output: EventOutput

        init(_ socket: consuming OwnedDescriptor, on loop: any EventLoop) {
            self.socket = socket
            output = EventOutput(loop: loop, descriptor: self.socket.number)
        }
    }

    /// What is said in `folder` of the push `taken`; nil if nobody follows.
    public init?(_ taken: @autoclosure () -> PushRecord.Taken, in folder: FollowersFolder, on loop: any EventLoop) {
        var followers: [Follower] = []
        folder.connect { followers.append(Follower($0, on: loop)) }
        guard !followers.isEmpty else { return nil }
        self.followers = followers
        let taken = taken()
        id = taken.id
        send(.push(taken))
    }

    /// Says that `event` happened.
    public func write(_ event: Event) {
        send(.event(event), isDroppable: event.isFrequent)
    }

    /// Says that nothing more comes.
    public func end() { send(.end(id: id, isWhole: true)) }

    private func send(_ record: PushRecord, isDroppable: Bool = false) {
        let line = record.line
        for follower in followers { follower.output.write(line, isDroppable: isDroppable) }
    }
}
