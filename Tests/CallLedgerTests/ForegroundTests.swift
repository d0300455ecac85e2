import BelfryPropertyList
import BelfryTerms
@testable import CallLedger
import Testing

/// Whether the app is in front: R5, R7 and the contract of `enterToForground`.
@Suite struct ForegroundTests {
    let file = GroupFile()
    static let halfDay = TimeSpan.seconds(12 * 3600)

    @Test(
        "R7 setting the flag silences every ring, whichever program sets it and as whatever type",
        arguments: [PropertyListValue.bool(true), .integer(1), .integer(2), .integer(-1)])
    func silences(flag: PropertyListValue) {
        file.request("a")
        file.root["enterToForground"] = flag
        #expect(file.standing("a") == .ended(.foreground))
        #expect(file.settle("a", .foreground) == Settlement(reason: .foreground, hangupReason: nil))
        #expect(file.state("a") == .foreground)
    }

    @Test("an answer that came before the app is an answer")
    func answeredFirst() {
        file.request("a")
        file.answer("a")
        file.change { $0.enterForeground(owner: nil) }
        #expect(file.standing("a") == .ended(.answered))
    }

    @Test("a flag that is false, 0 or of another type does not put the app in front")
    func noFlag() {
        for value: PropertyListValue? in [nil, .bool(false), .integer(0), .string("yes"), .array([])] {
            file.root["enterToForground"] = value
            #expect(file.ledger.foreground == .background)
            #expect(file.request("a").rings)
            file.settle("a", .timeout)
        }
    }

    @Test("an owned flag holds as long as its owner lives")
    func owned() {
        let app = file.process(50)
        file.change { $0.enterForeground(owner: app) }
        file.pass(.seconds(86_400 * 40))
        #expect(file.ledger.foreground == .owned)
        file.dead.insert(app)
        #expect(file.ledger.foreground == .background)
        #expect(file.request("a").rings)
        #expect(file.root["enterToForground"] == .bool(false) && file.root["foregroundOwner"] == nil)
    }

    @Test("an owned flag does not outlive its boot")
    func ownedReboot() {
        let app = file.process(50)
        file.change { $0.enterForeground(owner: app) }
        file.reboot()
        #expect(file.ledger.foreground == .background)
    }

    @Test("a bare flag holds for twelve hours from when a Belfry program saw it")
    func unownedAge() {
        file.root["enterToForground"] = .bool(true)
        file.modified = file.now
        #expect(file.ledger.foreground == .unowned)
        file.open()
        file.pass(Self.halfDay - TimeSpan(microseconds: 1))
        #expect(file.ledger.foreground == .unowned)
        file.pass(TimeSpan(microseconds: 1))
        #expect(file.ledger.foreground == .background)
        file.open()
        #expect(file.root["enterToForground"] == .bool(false))
    }

    @Test("a bare flag that no Belfry program saw is at least as old as the file")
    func unseenFlag() {
        file.root["enterToForground"] = .bool(true)
        file.modified = file.now
        file.pass(Self.halfDay - .seconds(1))
        #expect(file.request("a") == .silent(.foreground, missed: false))
        file.pass(.seconds(1))
        #expect(file.request("a").rings)
    }

    @Test("a bare flag does not outlive its boot: stamped, or in a file written before this boot")
    func unownedReboot() {
        let stamped = file.copy()
        stamped.change { $0.enterForeground(owner: nil) }
        stamped.reboot()
        #expect(stamped.ledger.foreground == .background)
        file.root["enterToForground"] = .bool(true)
        file.modified = Instant(microseconds: -1)
        #expect(file.ledger.foreground == .background)
        #expect(file.request("a").rings)
        file.root["enterToForground"] = .bool(true)
        file.modified = Instant(microseconds: 0)
        file.now = Instant(microseconds: 5)
        #expect(file.ledger.foreground == .unowned)
    }

    @Test("nor does a stamped one whose boot was shorter than the next one is by now")
    func unownedRebootOfLongerBoot() {
        file.now = Instant(microseconds: 5_000_000)
        file.change { $0.enterForeground(owner: nil) }
        file.reboot()
        #expect(file.ledger.foreground == .background)
    }

    @Test("a bare flag that a crashed app left does not outlive its boot, even in the first minute of the next one")
    func bareFlagJustAfterReboot() {
        file.root["enterToForground"] = .bool(true)
        file.reboot()
        #expect(file.ledger.foreground == .background)
        #expect(file.request("a").rings)
    }

    @Test("a reader that took the time within a second before a flag was stamped believes it")
    func readerOfBefore() {
        file.change { $0.enterForeground(owner: nil) }
        file.now = file.now - .seconds(1)
        #expect(file.ledger.foreground == .unowned)
        file.now = file.now - TimeSpan(microseconds: 1)
        #expect(file.ledger.foreground == .background)
    }

    @Test("a bare flag in a file that is dated ahead, as after the clock was set back, holds from now on")
    func datedAhead() {
        file.root["enterToForground"] = .bool(true)
        file.modified = file.now + .seconds(3600)
        #expect(file.ledger.foreground == .unowned)
        file.open()
        file.pass(Self.halfDay)
        #expect(file.ledger.foreground == .background)
    }

    @Test("a stamp that was left without its flag is no stamp of the next flag")
    func leftStamp() {
        let app = file.process(50)
        file.change { $0.enterForeground(owner: app) }
        file.root["enterToForground"] = .bool(false)
        file.open()
        #expect(file.root["foregroundOwner"] == nil)
        file.dead.insert(app)
        file.root["enterToForground"] = .bool(true)
        #expect(file.ledger.foreground == .unowned)
    }

    @Test("R15 setting the clock changes nothing about how long a flag holds")
    func wallClockSet() {
        file.change { $0.enterForeground(owner: nil) }
        file.wall = file.wall + .seconds(86_400 * 365)
        #expect(file.ledger.foreground == .unowned)
        file.wall = WallTime(microseconds: 0)
        #expect(file.ledger.foreground == .unowned)
    }

    @Test("R18 a stamp that makes no sense is not believed, and neither is its flag")
    func badStamps() {
        for since in [Int64.min, -1, file.now.microseconds + 60_000_000, .max] {
            file.root["enterToForground"] = .bool(true)
            file.root["foregroundOwner"] = .dictionary(
                ["bootId": .string(file.bootID), "since": .integer(since)])
            #expect(file.ledger.foreground == .background, "since \(since)")
            file.open()
            #expect(file.root["enterToForground"] == .bool(false))
        }
    }

    @Test("R18 a stamp of a wrong type does not count: the flag is bare, and is stamped")
    func stampOfWrongType() {
        file.root["enterToForground"] = .bool(true)
        file.root["foregroundOwner"] = .string("me")
        file.open()
        #expect(file.ledger.foreground == .unowned)
        file.pass(Self.halfDay)
        #expect(file.ledger.foreground == .background)
    }

    @Test("an owned flag replaces an unowned one, and an unowned flag an owned one")
    func takesOver() {
        let app = file.process(50)
        file.change { $0.enterForeground(owner: nil) }
        file.change { $0.enterForeground(owner: app) }
        #expect(file.ledger.foreground == .owned)
        file.change { $0.enterForeground(owner: nil) }
        #expect(file.ledger.foreground == .unowned)
        file.change { $0.enterBackground() }
        #expect(file.ledger.foreground == .background && file.root["foregroundOwner"] == nil)
    }
}
