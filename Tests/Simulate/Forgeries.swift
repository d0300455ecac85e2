import BelfryPropertyList
import BelfryTerms
import CallLedger

/// What a program that knows nothing of Belfry, or too much, writes into the group file and cannot be true.
enum Forgery: CaseIterable {
    /// A ring of a process that lives, which would last for longer than any may (R18), or is said to be of another
    /// boot.
    case ringTooLong, ringOfOtherBoot
    /// In the place of each ring how an earlier call of that id ended (R7).
    case earlierEnd
    /// Of all that is over, that the request or the hangup was sent an hour from now (R9).
    case requestAhead, hangupAhead
    /// A flag that the app is in front: set in another boot, before this one, an hour from now, thirteen hours ago, by
    /// a process of another boot, and now in a file that is said to have been written an hour from now.
    case flagOfOtherBoot, flagBeforeBoot, flagAhead, flagOld, flagOfOtherBootsProcess, flagInNewerFile
    /// One that is good: a reader's clock may have been read just before it was set.
    case flagJustAhead

    var isFlag: Bool {
        switch self {
        case .ringTooLong, .ringOfOtherBoot, .earlierEnd, .requestAhead, .hangupAhead: false
        case .flagOfOtherBoot, .flagBeforeBoot, .flagAhead, .flagOld, .flagOfOtherBootsProcess, .flagInNewerFile,
            .flagJustAhead:
            true
        }
    }
}

extension World {
    /// The id of calls that never were.
    static let forgedKey = "forged"

    func change(_ root: inout PropertyListDictionary, by forgery: Forgery) {
        let now = machine.bootTime
        var stamp: PropertyListDictionary = ["bootId": .string(machine.bootID), "since": .integer(now.microseconds)]
        switch forgery {
        case .ringTooLong: forgeRing(in: &root, lasting: .seconds(600), bootID: machine.bootID)
        case .ringOfOtherBoot: forgeRing(in: &root, lasting: .seconds(5), bootID: "other")
        case .earlierEnd: forgeEnd(in: &root)
        case .requestAhead: forgeTime(in: &root, of: "sentAt")
        case .hangupAhead: forgeTime(in: &root, of: "hangupSentAt")
        case .flagOfOtherBoot: stamp["bootId"] = .string("other")
        case .flagBeforeBoot: stamp["since"] = .integer(-1)
        case .flagAhead: stamp["since"] = .integer(now.microseconds + 3_600_000_000)
        case .flagJustAhead: stamp["since"] = .integer(now.microseconds + 500_000)
        case .flagOld: stamp["since"] = .integer(now.microseconds - 13 * 3_600_000_000)
        case .flagOfOtherBootsProcess:
            let living = machine.spawn().owner
            stamp = ["bootId": .string("other"), "pid": .integer(living.pid), "pidStart": .integer(living.start)]
        case .flagInNewerFile: break
        }
        guard forgery.isFlag else { return }
        root["enterToForground"] = .bool(true)
        root["foregroundOwner"] = forgery == .flagInNewerFile ? nil : .dictionary(stamp)
    }

    private func forgeRing(in root: inout PropertyListDictionary, lasting: TimeSpan, bootID: String) {
        let (now, living) = (machine.bootTime, machine.spawn().owner)
        let started = PropertyListValue.integer(machine.wall.unixSecond)
        var calls = root["calls"]?.dictionaryValue ?? [:]
        calls[Self.forgedKey] = .dictionary([
            "state": .string("ringing"), "since": .integer(now.microseconds), "started": started,
            "until": .integer((now + lasting).microseconds), "bootId": .string(bootID), "pid": .integer(living.pid),
            "pidStart": .integer(living.start),
        ])
        root["calls"] = .dictionary(calls)
        if root["keyStartCallTime"] == nil { root["keyStartCallTime"] = started }
    }

    private func forgeEnd(in root: inout PropertyListDictionary) {
        rewriteCalls(in: &root) { call in
            guard call["state"] == .string("ringing") else { return }
            let ended = machine.wall.unixSecond - 60
            call = [
                "state": .string("answered"), "since": .integer(machine.bootTime.microseconds - 70_000_000),
                "started": .integer(ended - 10), "ended": .integer(ended),
                "until": .integer(machine.bootTime.microseconds + 540_000_000),
            ]
        }
    }

    private func forgeTime(in root: inout PropertyListDictionary, of key: String) {
        let ahead = WallTime(microseconds: machine.wall.microseconds + 3_600_000_000)
        rewriteCalls(in: &root) { if $0["state"] != .string("ringing") { $0[key] = .real(ahead.unixSeconds) } }
    }
}

extension Oracle {
    /// What comes of `forgery`: of a ring nothing, of a time that it counts as absent, and of a flag that it is
    /// believed or not. False if that is not known.
    func follows(_ forgery: Forgery, group: Int) -> Bool {
        let isKnown = forgery.isFlag ? isFileSound && isSure[group] : isFollowed(group)
        guard isKnown else { return false }
        note("forgery")
        switch forgery {
        case .ringTooLong, .ringOfOtherBoot: break
        case .earlierEnd: rules[group].areRingsHidden = true
        case .requestAhead: rules[group].forgetTimes(\.sentAt)
        case .hangupAhead: rules[group].forgetTimes(\.hangupSentAt)
        case .flagJustAhead, .flagInNewerFile:
            rules[group].setForegroundFlag(false, now: now)
            isFlagged(true, group: group)
        case .flagOfOtherBoot, .flagBeforeBoot, .flagAhead, .flagOld, .flagOfOtherBootsProcess:
            rules[group].setForegroundFlag(false, isStamped: true, now: now)
        }
        return true
    }
}
