import BelfryAppGroup
import BelfryBus
import BelfryEventLoop
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import DesktopChannel
import Glibc
import RingEar
import Showing
import Support
import Testing

@testable import Desktop

/// The desktop's parts on a bus that is played, each test in a process of its own.
@Suite struct DesktopServiceTests {
    private static func service(
        for worker: WorkerEnd, on loop: Loop, answered: String? = nil, declined: String? = nil, missed: String? = nil
    ) throws -> DesktopService {
        var settings = DesktopSettings(
            words: NoticeWords(locale: "C"), group: WorkerEnd.group, secondCall: .soft, answersWait: .seconds(30),
            notifies: false, hasDisplay: false)
        settings.onAnswer = answered.flatMap(DesktopHook.init)
        settings.onDecline = declined.flatMap(DesktopHook.init)
        settings.onMissed = missed.flatMap(DesktopHook.init)
        let service = try DesktopService(
            on: loop, listener: worker.listener, state: StateDirectory(path: "\(worker.folder.path)/state"),
            runtime: RuntimeDirectory(path: "\(worker.folder.path)/run"), settings: { settings }, finished: {})
        // The worker has come before the service begins.
        loop.runUntilIdle()
        return service
    }

    @Test("R21 all who were asked have answered, or are nobody, before what they say counts as known") func settled()
        async
    {
        await #expect(processExitsWith: .success) {
            let bus = try PlayedBus("org.xfce.Xfconf")
            bus.answer = { $0.member == "GetProperty" ? [.variant(.bool(true))] : nil }
            let desktop = try SessionBus(on: bus.loop)
            let doNotDisturb = DoNotDisturb(dconfPath: nil) {}
            doNotDisturb.onSettled = { bus.loop.stop() }
            doNotDisturb.connected(to: desktop)
            #expect(!doNotDisturb.isSettled)
            withExtendedLifetime(desktop) { bus.run() }
            #expect(doNotDisturb.isSettled && doNotDisturb.level == .muted)
        }
    }

    @Test("Xfce's setting, which outlives its server, counts until another is there", arguments: ["Xfce", "knopwob"])
    func leftOver(vendor: String) async {
        await #expect(processExitsWith: .success) { [vendor] in
            let bus = try PlayedBus("org.xfce.Xfconf")
            bus.answer = { message in
                if message.member == "GetServerInformation" { return [.string("it"), .string(vendor)] }
                return [.variant(.bool(message.member == "GetProperty"))]
            }
            let desktop = try SessionBus(on: bus.loop)
            let doNotDisturb = DoNotDisturb(dconfPath: nil) {}
            doNotDisturb.onSettled = { bus.loop.stop() }
            doNotDisturb.connected(to: desktop)
            doNotDisturb.serverIs("org.xfce.Xfconf")
            withExtendedLifetime(desktop) { bus.run() }
            #expect(doNotDisturb.level == (vendor == "Xfce" ? .muted : .none))
        }
    }

    @Test("that nobody can start a notification server is told with the bus's reason") func noServer() async {
        await #expect(processExitsWith: .success) {
            let bus = try PlayedBus()
            let desktop = try SessionBus(on: bus.loop)
            var why = ""
            var start: () -> Void = {}
            let server = NotificationServer(on: bus.loop, hasDisplay: true) { input in
                if case .isNotRunning = input { start() }
                if case .isAbsent(let detail) = input {
                    why = detail
                    bus.loop.stop()
                }
            }
            start = { server.start() }
            server.connected(to: desktop)
            withExtendedLifetime(desktop) { bus.run() }
            #expect(why.hasPrefix("no notification server: The name org.freedesktop.Notifications was not provided"))
        }
    }

    @Test("a call that was answered, declined or silenced by the app is not missed; each template's instance is new")
    func hooks() async {
        await #expect(processExitsWith: .success) {
            let bus = try PlayedBus("org.freedesktop.systemd1")
            let begun = bus.loop.now.microseconds
            let worker = try WorkerEnd()
            let service = try DesktopServiceTests.service(
                for: worker, on: bus.loop, answered: "a@.service", declined: "d.service", missed: "m.service")
            var started: [[BusValue]] = []
            bus.heard = { message in
                if message.member == "StartUnit" {
                    started.append(message.arguments)
                    if started.count == 4 { bus.loop.stop() }
                }
            }
            service.begin()
            for reason in [EndReason.answered, .declined, .foreground, .answered, .timeout] {
                worker.tell(.received(Event.Received(type: .callRequest, call: "A", why: nil)))
                worker.tell(.ended(Event.Ended(call: "A", reason: reason, hangupReason: nil, rang: 1, ticks: 0)))
            }
            withExtendedLifetime(service) { bus.run() }
            #expect(started.allSatisfy { $0.count == 2 && $0.last == .string("replace") })
            let units = started.compactMap(\.first?.text)
            #expect(units[1] == "d.service" && units[3] == "m.service", "\(units)")
            // Also none that an earlier process has made.
            let numbers = [units[0], units[2]].compactMap { Int64($0.dropFirst(2).dropLast(".service".utf8.count)) }
            #expect(numbers.count == 2 && numbers[0] >= begun && numbers[1] > numbers[0], "\(units)")
        }
    }

    @Test("S6 of a group that there is nothing of, a question makes and keeps nothing") func groupOfNothing() async {
        await #expect(processExitsWith: .success) {
            let bus = try PlayedBus()
            let worker = try WorkerEnd()
            let service = try DesktopServiceTests.service(for: worker, on: bus.loop)
            service.begin()
            let client = try SessionBus(on: bus.loop)
            let descriptors = try Directory.names(at: "/proc/self/fd", max: 10_000).count
            let (name, path) = (CallsInterface.name, CallsInterface.path)
            var answers: [String] = []
            let ask = { (member: String, values: [BusValue]) in
                client.call(name, path, name, member, values) { answer in
                    if case .failure(let failure) = answer { answers.append(failure.name) } else { answers.append("") }
                    bus.loop.stop()
                }
                bus.run()
            }
            // Its name may take a while.
            while answers.last != "" { ask("List", [.string("group.none")]) }
            answers = []
            for number in 0..<50 {
                let group = BusValue.string("group.none\(number)")
                ask("ClearMissed", [group, .strings([])])
                for member in ["Answer", "Decline", "CollectAnswer"] { ask(member, [group, .string("A")]) }
                for member in ["List", "ListMissed", "ListAnswers"] { ask(member, [group]) }
            }
            let noCall = "org.belfry.Error.NoSuchCall"
            let expected = (0..<50).flatMap { _ in ["", noCall, noCall, noCall, "", "", ""] }
            #expect(answers == expected, "\(answers.prefix(9))")
            let more = try Directory.names(at: "/proc/self/fd", max: 10_000).count - descriptors
            #expect(more <= 2, "\(more)")
            for made in ["run/rings", "state/groups"] {
                let names = (try? Directory.names(at: "\(worker.folder.path)/\(made)", max: 100)) ?? []
                #expect(names.isEmpty, "\(made): \(names)")
            }
            // A worker that is connected makes its group one.
            ask("ClearMissed", [.string(WorkerEnd.group.text), .strings([])])
            let rings = (try? Directory.names(at: "\(worker.folder.path)/run/rings", max: 100)) ?? []
            #expect(rings.count == 1 && answers.last == "", "\(rings) \(answers.last ?? "")")
            withExtendedLifetime((service, client)) {}
        }
    }

    @Test("R21 a worker has its first word as soon as there is no bus to ask") func noBus() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", 1)
            let worker = try WorkerEnd()
            let service = try DesktopServiceTests.service(for: worker, on: Loop())
            #expect(worker.reports().isEmpty)
            service.begin()
            #expect(worker.reports().map(\.isMuted) == [false])
            withExtendedLifetime(service) {}
        }
    }

    @Test("R21 what somebody said on a bus that is lost does not mute who has waited for the first word") func lostBus()
        async
    {
        await #expect(processExitsWith: .success) {
            // Where this process stood still, the worker had its first word before the bus was lost.
            var reports: [Bool?] = []
            for _ in 0..<50 where reports != [true, false, false] {
                reports = try DesktopServiceTests.reportsAroundLoss()
            }
            #expect(reports == [true, false, false])
        }
    }

    /// Whether a worker is told to be muted, each time that it is told so, up to its first word: somebody mutes, and
    /// the bus is lost before somebody else has answered.
    private static func reportsAroundLoss() throws -> [Bool?] {
        let bus = try PlayedBus("org.sigxcpu.Feedback", "org.xfce.Xfconf")
        bus.answer = { $0.member == "Get" ? [.variant(.string("silent"))] : nil }
        bus.heard = { if $0.kind == .signal, $0.member == "PropertiesChanged" { bus.loop.stop() } }
        bus.listen(to: CallsInterface.path)
        let worker = try WorkerEnd()
        let service = try service(for: worker, on: bus.loop)
        defer { withExtendedLifetime(service) {} }
        service.begin()
        bus.run()
        try bus.kill()
        var reports = worker.reports()
        let watch = try bus.loop.watch(descriptor: worker.number, events: .readable, description: "test") { _ in
            reports += worker.reports()
            if reports.contains(where: \.isFirst) { bus.loop.stop() }
        }
        bus.run()
        watch.cancel()
        return reports.map(\.isMuted)
    }
}

extension DesktopReport {
    fileprivate var isFirst: Bool { if case .first = self { true } else { false } }

    /// What it says of do-not-disturb.
    fileprivate var isMuted: Bool? {
        switch self {
        case .first(let isMuted, _), .muted(let isMuted): isMuted
        case .notification, .vibration, .chosen: nil
        }
    }
}
