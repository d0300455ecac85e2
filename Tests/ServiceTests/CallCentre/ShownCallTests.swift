import BelfryAppGroup
import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallControl
import CallLedger
import DesktopChannel
import Glibc
import GroupLedger
import RingEar
import Support
import Testing

@testable import CallCentre

/// What belfry-calls says of calls that go on: to the desktop, and in the groups' files.
@Suite struct ShownCallTests {
    private static var call: OngoingCall {
        var call = OngoingCall(call: "k", uuid: "AAAAAAAA-AAAA-AAAA-AAAA-AAAAAAAAAAAA", app: "com.example.phone")
        (call.name, call.handle, call.state) = ("Ada", "+49", .active)
        return call
    }

    /// A desktop's socket in the folder of `end`, and the lines that came to it.
    private final class Desk {
        let listener: OwnedDescriptor
        var socket: OwnedDescriptor?

        init(_ end: CentreEnd) throws {
            listener = try listenPrivately(at: "\(end.folder.path)/desktop.sock", backlog: 8)
        }

        /// Takes the connection that waits, if there is one.
        func isCalled() -> Bool {
            guard isReady(listener.number, for: POLLIN) else { return false }
            socket = OwnedDescriptor(owning: accept(listener.number, nil, nil))
            return true
        }

        /// What was said last; nil if nothing is new.
        func last() -> DesktopHello? {
            guard let number = socket?.number, isReady(number, for: POLLIN, within: 1_000) else { return nil }
            let lines = receiveSome(from: number, bytesMax: 64 << 10).bytes.split(separator: UInt8(ascii: "\n"))
            return lines.last.flatMap { DesktopHello(line: Array($0)) }
        }
    }

    private func feed(_ effect: CallEffect, to end: CentreEnd) throws {
        end.decider.effects = [effect]
        _ = try end.app("com.example.app\(end.decider.inputs.count)")
        end.loop.runUntilIdle()
    }

    @Test("C16 the desktop gets a call whole, again when it changes, and its choice comes back; it is left at the end")
    func shown() throws {
        let end = try CentreEnd()
        let desk = try Desk(end)
        try feed(.goesOn(Self.call, in: nil), to: end)
        #expect(desk.isCalled())
        var expected = DesktopHello(group: CentreEnd.group, name: "Ada", handle: "+49")
        expected.ongoing = Self.call
        #expect(desk.last() == expected)
        var muted = Self.call
        muted.isMuted = true
        try feed(.goesOn(muted, in: nil), to: end)
        expected.ongoing = muted
        #expect(desk.last() == expected)
        #expect(sendAll(DesktopReport.chosen(.hold(true)).line, passing: nil, to: desk.socket?.number ?? -1))
        end.loop.runUntilIdle()
        #expect(end.decider.inputs.last == .command(.hold(true), call: Self.call.uuid, from: nil))
        try feed(.goesOnNoLonger(muted), to: end)
        #expect(desk.last() == nil && receiveSome(from: desk.socket?.number ?? -1, bytesMax: 1).bytes.isEmpty)
        #expect(!desk.isCalled())
    }

    @Test("a desktop that is missing, or left, is tried again and gets what is so then") func again() throws {
        let end = try CentreEnd()
        try feed(.goesOn(Self.call, in: nil), to: end)
        let desk = try Desk(end)
        end.run(for: .milliseconds(1_200))
        #expect(desk.isCalled() && desk.last()?.ongoing == Self.call)
        desk.socket = nil
        var held = Self.call
        held.state = .held
        try feed(.goesOn(held, in: nil), to: end)
        end.run(for: .milliseconds(1_200))
        #expect(desk.isCalled() && desk.last()?.ongoing == held)
    }

    @Test("an app's icon is a file that the desktop is told, until the app is gone") func icon() throws {
        let end = try CentreEnd()
        let desk = try Desk(end)
        let app = try end.app()
        var provider = ProviderSettings()
        provider.icon = [1, 2, 3]
        app.say(AppMessage.provider(provider).line)
        try feed(.goesOn(Self.call, in: nil), to: end)
        #expect(desk.isCalled())
        let path = try #require(desk.last()?.ongoing?.icon)
        #expect(try readFile(at: path, bytesMax: 9).bytes == [1, 2, 3])
        provider.icon = [4]
        app.say(AppMessage.provider(provider).line)
        try feed(.goesOn(Self.call, in: nil), to: end)
        let next = try #require(desk.last()?.ongoing?.icon)
        #expect(try next != path && readFile(at: next, bytesMax: 9).bytes == [4])
        #expect(throws: SystemError.self) { try readFile(at: path, bytesMax: 9) }
        app.leave()
        #expect(throws: SystemError.self) { try readFile(at: next, bytesMax: 9) }
    }

    private func active(_ end: CentreEnd, in group: GroupName = CentreEnd.group) -> [String] {
        let state = StateDirectory(path: "\(end.folder.path)/state")
        let ledger = LedgerFile(state: state, runtime: RuntimeDirectory(path: end.folder.path), group: group).read()
        return ledger?.activeCalls.map(\.key.text) ?? []
    }

    @Test("R10 a call that goes on is on in its group's file, held by this process, unless it is held or over")
    func inCall() throws {
        let end = try CentreEnd()
        let other = try #require(GroupName("group.other"))
        try feed(.goesOn(Self.call, in: other), to: end)
        #expect(active(end, in: other) == ["k"] && active(end).isEmpty)
        var held = Self.call
        held.state = .held
        try feed(.goesOn(held, in: other), to: end)
        #expect(active(end, in: other).isEmpty)
        try feed(.goesOn(Self.call, in: other), to: end)
        #expect(active(end, in: other) == ["k"])
        try feed(.goesOnNoLonger(Self.call), to: end)
        #expect(active(end, in: other).isEmpty)
    }
}
