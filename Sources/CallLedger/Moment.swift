public import BootTime

/// What the ledger has to know of the world, once for each time the group file is opened.
public struct Moment {
    /// The instant, by which rings and records are over.
    public let now: Instant
    /// The same by the wall clock, for what people read.
    public let wall: WallTime
    /// The boot to which `now` belongs.
    public let bootID: String
    /// When the group file was last written; before zero where that was before this boot.
    public let fileModified: Instant?
    private let liveness: Liveness

    /// A moment; `isRunning` says whether a process of this boot still runs, and is asked once for each.
    public init(
        now: Instant, wall: WallTime, bootID: String, fileModified: Instant?, isRunning: @escaping (Owner) -> Bool
    ) {
        self.now = now
        self.wall = wall
        self.bootID = bootID
        self.fileModified = fileModified
        liveness = Liveness(isRunning: isRunning)
    }

    /// Whether `owner` is a process of this boot that still runs.
    public func isAlive(_ owner: Owner) -> Bool { owner.bootID == bootID && liveness[owner] }

    private final class Liveness {
        private let isRunning: (Owner) -> Bool
        /// Most groups have one ring, and the dictionary alone takes 0.03 ms to come into being.
        private var first: (owner: Owner, isRunning: Bool)?
        private var others: [Owner: Bool] = [:]

        init(isRunning: @escaping (Owner) -> Bool) {
            self.isRunning = isRunning
        }

        subscript(owner: Owner) -> Bool {
            if let first, first.owner == owner { return first.isRunning }
            if first != nil, let known = others[owner] { return known }
            let answer = isRunning(owner)
            if first == nil { first = (owner, answer) } else { others[owner] = answer }
            return answer
        }
    }
}
