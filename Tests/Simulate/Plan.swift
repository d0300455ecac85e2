import BelfryTerms
import CallLedger
import GroupLedger
import Support

/// What is going to happen in one run: all that chance decides beforehand, so that it can be shortened and told.
struct Plan {
    /// How this run's workers are set up, and what chance does besides.
    struct Surroundings {
        var duration = TimeSpan.seconds(6)
        var interval = TimeSpan.seconds(1)
        var budget = TimeSpan.seconds(9)
        var secondCall = RingMode.soft
        var callsMax = 8
        /// How many of a hundred notices of a changed directory are lost.
        var noticesLost = 0
        /// Whether the sound server never confirms silence.
        var isSoundDead = false
    }

    /// The seed that it comes from, and that decides what is small: how late each timer fires.
    let seed: UInt64
    var surroundings = Surroundings()
    /// In the order of their times.
    var happenings: [Happening] = []
}

/// One thing that happens, so many microseconds after the beginning.
struct Happening {
    let at: Int64
    let what: What
    /// What becomes of the process that begins with it, at its call number so many.
    var fate: (step: Int, fate: PlayedProcess.Fate)?

    enum What {
        case push(PlayedPush)
        case command(Command, group: Int)
        /// On the desktop a button is chosen, or a program asks over the bus: for the call with that id, or the
        /// loudest.
        case chosen(PersonalEnd, String?, group: Int)
        case stranger(Stranger, group: Int)
        /// Something happens to a worker: to one of those that live, chosen by its number.
        case killed(Int), frozen(Int, forMicroseconds: Int64), terminated(Int), shortOfDescriptors(Int, left: Int)
        /// Somebody who was misled asks at the ear of a worker for a call that it does not ring.
        case askedForAnother(Int, RingAsk)
        case clockSet(byMicroseconds: Int64), suspended(forMicroseconds: Int64)
        case rebooted(isSudden: Bool, offForMicroseconds: Int64)
        case shortage(Shortage, forMicroseconds: Int64)
        case lockHeld(group: Int, forMicroseconds: Int64, by: LockHolder = .stopped)

        /// The group that it happens to, the first if it happens to all.
        var group: Int {
            switch self {
            case .push(let push): push.group
            case .command(_, let group), .chosen(_, _, let group), .stranger(_, let group), .lockHeld(let group, _, _):
                group
            default: 0
            }
        }
    }
}

/// What is wrong with the machine for a while: with its disk, its memory, or the ears of all processes, which are full.
enum Shortage { case diskFull, diskReadOnly, diskFailsFlushing, memoryFull, earsFull }

/// Who holds the lock of a group file: a program that stands still or is at work, or a worker in whose process
/// something has forgotten it.
enum LockHolder { case stopped, atWork, worker }

/// A push as a worker gets it.
struct PlayedPush {
    enum Kind { case request, hangup(HangupReason), alert }

    var kind: Kind
    var group: Int
    /// The call's id; empty for a call without one.
    var id = ""
    /// When it was sent and when it is stale, in microseconds after the beginning, if it says so; 0 is "try once".
    var sentAt: Int64?
    var expiration: Int64?
    /// How many seconds it asks to ring.
    var duration: Double?
    var isVoIP = false
    /// Whether it is a voip push that is no call: it rings if its app reports one for it, and is else delivered.
    var isOther = false
    /// What `belfry-calls` says of it, and when; nil if it is not there.
    var app: ScriptedCalls.Script?
    /// Whether it states its own id, by which a voip push that names no call is known (R8).
    var isIDStated = false
    var isBackground = false
    /// Whether it names the caller, or has only a number.
    var isNamed = true
    /// Whether its alert has a title, and any text at all.
    var hasTitle = true
    var hasText = true
    /// How it wants to interrupt, if it says so.
    var level: InterruptionLevel?
    /// Without it nobody intercepts the push.
    var isMutable = true
    var picture: PlayedPicture?
    /// What the app's own extension does with it; nil if it has none.
    var code: PlayedCode?

    /// Who calls, as people know them.
    var caller: String { isNamed ? "caller" : "number" }
    /// What its notification is headed with: a number takes no missing title's place but that of a missed call's.
    var title: String { hasTitle && hasText || isNamed ? caller : "" }
    var isHangup: Bool { if case .hangup = kind { true } else { false } }
}

/// What becomes of a caller's picture.
enum PlayedPicture { case comes(afterMicroseconds: Int64), fails(afterMicroseconds: Int64), never }

/// What people and units start.
enum Command {
    /// For the call with that id, or the loudest.
    case answer(String?), decline(String?)
    /// The app comes to the front; nil without an owner, else it dies after so many microseconds.
    case foreground(livesForMicroseconds: Int64?)
    case background
    case tidy
}

/// What a program that knows nothing of Belfry, or too much, writes to say that the app is in front.
enum ForegroundFlag: CaseIterable {
    case yes, no, many
    /// Stamped so that it cannot be true: in another boot, before this one, an hour from now.
    case ofOtherBoot, beforeBoot, ahead
    /// Good ones: the reader's clock may have been read just before the stamp was made; and a file may be said to have
    /// been written an hour from now.
    case justAhead, inNewerFile

    /// Whether it is to be believed, and says that the app is in front.
    var isSet: Bool { [.yes, .many, .justAhead, .inNewerFile].contains(self) }
}

/// What a program that knows nothing of Belfry does to the group file.
enum Stranger {
    /// Writes a key of its own; or reads the file, and writes what it read back so many microseconds later.
    case addsKey, writesOldCopy(afterMicroseconds: Int64)
    /// Removes the start of what rings, sets its state, or deletes all calls.
    case removesStart, setsState(String), deletesCalls
    /// Adds a ring of a process that lives: one that would last for longer than any may (R18), or of another boot.
    case forgesRing(isOfOtherBoot: Bool)
    /// Adds a call that was answered, as long as it says so.
    case forgesEnd
    /// Says of all that is over that its request or its hangup, by its key, was sent an hour from now (R9).
    case forgesTime(String)
    case setsForeground(ForegroundFlag)
    /// Replaces the file, and changes it in place in the same tick of the kernel's clock, through a mapping: then the
    /// app is in front.
    case writesThroughMapping
    /// Leaves nonsense; if it is at work, the whole file follows so many microseconds later.
    case breaksFile(mendsAfterMicroseconds: Int64?)
    case makesTooLarge, makesLink, removesFile, removesFolder
}

/// How much can be known of a run, by its plan alone.
extension Plan {
    /// Whether nothing goes wrong: then ``Model`` says what every worker does.
    var isUndisturbed: Bool {
        // A stranger's flag says less than a command, and what another one wrote beside it counts still.
        let isFlagAlone = happenings.count(where: \.isOfTheFront) == 1
        return happenings.allSatisfy { $0.isOrdinary || $0.isOfTheFront && isFlagAlone && $0.fate == nil }
    }

    /// Whether what was recorded may be lost or changed by others: the power, what fills memory, programs that know
    /// nothing of Belfry.
    var isTampered: Bool {
        has {
            switch $0 {
            case .stranger(.addsKey, _), .stranger(.setsForeground, _): false
            case .stranger, .rebooted, .shortage(.memoryFull, _): true
            default: false
            }
        }
    }

    /// Whether anybody stands still, or all do.
    var hasFreezes: Bool {
        happenings.contains {
            switch ($0.what, $0.fate?.fate) {
            case (_, .frozen?), (.frozen, _), (.suspended, _): true
            default: false
            }
        }
    }

    /// Whether anything happens for which `isCause` says so.
    func has(_ isCause: (Happening.What) -> Bool) -> Bool { happenings.contains { isCause($0.what) } }
}

extension Happening {
    /// Whether that is all in a day's work.
    var isOrdinary: Bool {
        switch what {
        // What an app says is not in the model.
        case .push(let push): fate == nil && push.app == nil
        case .command, .chosen, .terminated, .askedForAnother: fate == nil
        default: false
        }
    }

    /// Whether it says whether the app is in front.
    fileprivate var isOfTheFront: Bool {
        switch what {
        case .stranger(.setsForeground, _), .stranger(.writesThroughMapping, _), .command(.foreground, _),
            .command(.background, _):
            true
        default: false
        }
    }
}

extension PlayedPush: CustomStringConvertible {
    /// What distinguishes it from others of its kind.
    var description: String {
        let usual = Mirror(reflecting: PlayedPush(kind: kind, group: 0)).children.map { "\($0.value)" }
        let own = zip(Mirror(reflecting: self).children, usual).filter { "\($0.value)" != $1 }
        return (["\(kind)"] + own.map { "\($0.0.label ?? "") \($0.0.value)" }).joined(separator: ", ")
    }
}
