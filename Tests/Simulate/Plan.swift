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
        var mutes = PlayedMutes()
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
        /// Somebody runs `belfry watch`.
        case watched(group: Int, forMicroseconds: Int64)
        /// Something happens to a worker: to one of those that live, chosen by its number.
        case killed(Int)
        case frozen(Int, forMicroseconds: Int64)
        case terminated(Int)
        case shortOfDescriptors(Int, left: Int)
        /// Somebody who was misled asks at the ear of a worker for a call that it does not ring.
        case askedForAnother(Int, RingAsk)
        /// The wall clock is set.
        case clockSet(byMicroseconds: Int64)
        /// Do-not-disturb goes on or off.
        case doNotDisturb(Bool)
        case suspended(forMicroseconds: Int64)
        case rebooted(isSudden: Bool, offForMicroseconds: Int64)
        case disk(DiskTrouble, forMicroseconds: Int64)
        case memoryFull(forMicroseconds: Int64)
        case earsFull(forMicroseconds: Int64)
        /// Another program holds the file's lock and stands still, or is at work.
        case lockHeld(group: Int, forMicroseconds: Int64, isAtWork: Bool = false)
        case incident(Incident, group: Int)

        /// The group that it happens to, the first if it happens to all.
        var group: Int {
            switch self {
            case .push(let push): push.group
            case .command(_, let group), .chosen(_, _, let group), .stranger(_, let group), .lockHeld(let group, _, _),
                .watched(let group, _), .incident(_, let group):
                group
            case .killed, .frozen, .terminated, .askedForAnother, .shortOfDescriptors, .clockSet, .doNotDisturb,
                .suspended, .rebooted, .disk, .memoryFull, .earsFull:
                0
            }
        }
    }
}

/// A push as a worker gets it.
struct PlayedPush {
    enum Kind { case request, hangup(HangupReason), alert }

    var kind: Kind
    var group: Int
    /// The call's id; empty for a call without one.
    var id = ""
    /// When it was sent, in microseconds after the beginning; nil if it does not say.
    var sentAt: Int64?
    /// When it is stale, in microseconds after the beginning; 0 is "try once".
    var expiration: Int64?
    /// How many seconds it asks to ring.
    var duration: Double?
    var isVoIP = false
    /// Whether it names the caller, or has only a number.
    var isNamed = true
    /// Whether that is longer than the group file keeps.
    var isLong = false
    /// Whether its alert has a title.
    var hasTitle = true
    /// How it wants to interrupt, if it says so.
    var level: InterruptionLevel?
    /// Whether its sound is to be heard whatever mutes the device.
    var isSoundCritical = false
    /// Without it nobody intercepts the push.
    var isMutable = true
    var picture: PlayedPicture?
    var isBackground = false
    /// What the alert says.
    var text = AlertText.body
    /// What the app's own extension does with it; nil if it has none.
    var code: PlayedCode?
}

/// Where an alert has its text.
enum AlertText: CaseIterable {
    case body, title, subtitle, string, missing
}

/// What becomes of a caller's picture.
enum PlayedPicture: Hashable {
    case comes(afterMicroseconds: Int64)
    case fails(afterMicroseconds: Int64)
    case never
}

/// What people and units start.
enum Command {
    /// Answers the call with that id, or the loudest.
    case answer(String?)
    case decline(String?)
    /// The app comes to the front; nil without an owner, else it dies after so many microseconds.
    case foreground(livesForMicroseconds: Int64?)
    case background
    /// The app takes out the answers to the call with that id, or all.
    case collect(String?)
    /// The person looks at what was missed.
    case seen
    case tidy
}

/// What apps write for a flag.
enum ForegroundFlag: CaseIterable {
    case yes, no, one, many, zero

    var isSet: Bool {
        switch self {
        case .yes, .one, .many: true
        case .no, .zero: false
        }
    }
}

/// What a program that knows nothing of Belfry does to the group file.
enum Stranger {
    /// Writes a key of its own.
    case addsKey
    /// Reads the file, and writes what it read back so many microseconds later.
    case writesOldCopy(afterMicroseconds: Int64)
    case removesStart
    case zeroesStart
    /// Sets the state of what rings.
    case setsState(String)
    case deletesCalls
    case forgesCall
    case forges(Forgery)
    case setsForeground(ForegroundFlag)
    case removesFile
    /// Leaves nonsense; if it is at work, the whole file follows so many microseconds later.
    case breaksFile(mendsAfterMicroseconds: Int64?)
    case makesTooLarge
    case makesLink
    /// Leaves a file beside the notes that is none.
    case leavesNonsense(ending: String, isParsed: Bool)
}

extension PlayedPush: CustomStringConvertible {
    var description: String {
        func seconds(_ microseconds: Int64) -> String { "\(Double(microseconds) / 1e6) s" }
        let name =
            switch kind {
            case .request: "request “\(id)”"
            case .hangup(let reason): "hangup “\(id)” (\(reason.rawValue))"
            case .alert: "alert"
            }
        let parts = [
            name, group == 0 ? nil : "of another group", sentAt.map { "sent at \(seconds($0))" },
            expiration.map { $0 == 0 ? "tried once" : "stale at \(seconds($0))" },
            duration.map { "to ring for \($0) s" }, isVoIP ? "voip" : nil,
            isNamed ? nil : "without a name", isLong ? "of a long name" : nil,
            isSoundCritical ? "with a critical sound" : nil, level.map { "\($0)" }, isMutable ? nil : "not mutable",
            picture.map { "whose picture \($0)" }, isBackground ? "background" : nil,
            text == .body ? nil : "text: \(text)", code.map { "for \($0)" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}

extension Plan.Surroundings: CustomStringConvertible {
    var description: String {
        "rings of \(duration.seconds) s, ticks of \(interval.seconds) s, budgets of \(budget.seconds) s, second calls "
            + "\(secondCall), \(callsMax) calls at most, \(noticesLost) % of notices lost"
            + (mutes.quietHours == .never ? "" : ", quiet hours that \(mutes.quietHours)")
            + (mutes.repeatedWithin == .zero ? "" : ", repeated calls within \(mutes.repeatedWithin.seconds) s")
            + (mutes.desktop.map { ", \($0)" } ?? "") + (isSoundDead ? ", sound that never falls silent" : "")
    }
}

extension PlayedPush {
    /// Who calls, as people know them. Of one that is long 127 bytes are whole characters, and 128 are not.
    var caller: String {
        let name = isNamed ? "caller" : "number"
        return isLong ? name + "." + String(repeating: "é", count: 100) : name
    }
}

extension PlayedPush.Kind {
    var isHangup: Bool { if case .hangup = self { true } else { false } }
    var isOfCalls: Bool { if case .alert = self { false } else { true } }
}
