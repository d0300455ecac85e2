import BelfryProtocol
import BelfryTerms
import CallChannel
@testable import CallControl
import Testing

/// The app or the worker is killed between each two lines of a call's path, from the push to the connected call.
@Suite struct KilledTests {
    private enum Line: CaseIterable {
        case push, connects, provider, registry, report, returned, ringing, answered, performed, fulfilled
    }

    /// One path, whose dead say nothing more.
    private struct Path {
        private var centre = Centre()
        private var worker: Int64? = 1
        private var isAppThere = true
        /// Whether a second worker has come, as there is one at most.
        private var hasCome = false
        private(set) var rang = 0
        private(set) var said: [String] = []

        mutating func go(_ line: Line) {
            switch line {
            case .push: say(centre.push(1))
            case .connects: app { $0.take(.appConnected(AppHello(id: Centre.app, pid: 3))) }
            case .provider: app { $0.app(.provider(ProviderSettings())) }
            case .registry: app { $0.app(.registry(["voip"])) }
            case .report: app { $0.reports(Centre.uuid("A")) }
            case .returned: app { $0.app(.returned(push: $0.pushes[0], form: .deprecated)) }
            case .ringing:
                waitIfUnordered()
                guard let worker else { return }
                rang += 1
                say(centre.rings(worker))
            case .answered: if let worker { say(centre.ends(worker, .answered)) }
            case .performed:
                app { $0.performed.isEmpty ? [] : $0.app(.performed($0.performed[0].uuid, isImplemented: true)) }
            case .fulfilled: app { $0.performed.isEmpty ? [] : $0.outcome(1) }
            }
            come()
        }

        /// Whom the centre has sent for comes at once.
        private mutating func come() {
            guard centre.rings.count == 1, worker == nil, !hasCome else { return }
            (worker, hasCome) = (2, true)
            say(centre.ringComes(1, worker: 2))
        }

        mutating func killApp() {
            app { $0.take(.appGone(Centre.app)) }
            isAppThere = false
            // Before it has connected its start has failed.
            if !said.contains("= started") { say(centre.take(.appFailed(Centre.app, why: "killed"))) }
        }

        mutating func killWorker() {
            guard let worker else { return }
            self.worker = nil
            say(centre.take(.workerGone(WorkerNumber(worker))))
            come()
        }

        /// All time passes, and everybody leaves.
        mutating func end() {
            say(centre.wait(300_000))
            killWorker()
            app { $0.take(.appGone(Centre.app)) }
            say(centre.wait(300_000))
        }

        var isEmpty: Bool { centre.isEmpty && centre.control.deadline == nil }

        func count(_ prefix: String) -> Int { said.count { $0.hasPrefix(prefix) } }

        /// The app's patience, where its report does not come.
        private mutating func waitIfUnordered() {
            let isOrdered = said.contains { $0.hasPrefix("worker") && $0.contains(" ring") }
            if !isOrdered { say(centre.wait(5_000)) }
        }

        private mutating func app(_ lines: (inout Centre) -> [String]) { if isAppThere { say(lines(&centre)) } }

        private mutating func say(_ lines: [String]) { said += lines }
    }

    @Test("C3 C4 C11 the app dies after each line: rung once, one action, one end, and nothing is kept")
    func app() {
        for (index, last) in Line.allCases.enumerated() {
            var path = Path()
            for line in Line.allCases[...index] { path.go(line) }
            path.killApp()
            for line in Line.allCases[(index + 1)...] { path.go(line) }
            path.end()
            #expect(path.rang == 1 && path.count("worker 1 ring") == 1, "\(last): \(path.said)")
            let isReported = index >= 4
            #expect(path.count("= ended by system") == (isReported ? 1 : 0), "\(last): \(path.said)")
            #expect(path.count("app perform") <= 1 && path.isEmpty, "\(last): \(path.said)")
        }
    }

    @Test("C4 C9 the worker dies after each line: the call rings at most once more, and is answered or ended once")
    func worker() {
        for (index, last) in Line.allCases.enumerated() {
            var path = Path()
            for line in Line.allCases[...index] { path.go(line) }
            path.killWorker()
            for line in Line.allCases[(index + 1)...] { path.go(line) }
            path.end()
            #expect(path.count("app reported 1") == 1 && path.count("app reported 1: ") == 0, "\(last): \(path.said)")
            #expect(path.count("app perform") == 1 && path.count("= ended by") == 1, "\(last): \(path.said)")
            #expect(path.count("ring c") <= 1 && path.rang == 1 && path.isEmpty, "\(last): \(path.said)")
        }
    }
}
