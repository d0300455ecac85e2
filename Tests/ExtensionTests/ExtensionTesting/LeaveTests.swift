import BelfrySyscalls
import BelfryTerms
@testable import ExtensionTesting
import Glibc
import KeeperChannel
import Support
import Testing
import UserNotifications

/// What is left of an extension in this process when its bell stops.
@Suite struct LeaveTests {
    private static let group = "group.count"
    private static let alert = #"{"aps":{"alert":{"title":"Hello"},"mutable-content":1},"a":1}"#
    private static let holder = "LeaveTests"

    /// A bell, and a channel that is lent to it and served there.
    private struct Lent: ~Copyable {
        let bell: Bell
        let socketPath: String
        let channel: SocketPair
        let lender: ChildProcess

        init(leavePatience: TimeSpan = LentExtension.leavePatience) async throws {
            let bell = try await Belfry.start(settings: BellSettings()) { place throws(BellError) in
                let lent = LentExtension(at: place, holder: holder, leavePatience: leavePatience) { Numbered() }
                try await lent.settle(resources: nil)
                return lent
            }
            let socketPath = bell.socketPath.dropLast("push.sock".count) + "lend.sock"
            let channel = try SocketPair()
            let lender = try ChildProcess(
                ChildCommand(
                    path: testedProgram("belfry-worker"), arguments: ["--lend", String(socketPath)],
                    streams: [3: .descriptor(channel.writing.number)]))
            let greeting = KeeperGreeting(
                stateDirectory: bell.environment["BELFRY_STATE_DIRECTORY"] ?? "", memoryBytesMax: 1 << 30)
            ScriptedWorker.write(KeeperMessage.hello(greeting).line, to: channel.reading.number)
            #expect(try LineReader(channel.reading.duplicate()).next(within: 60_000) == #"{"say":"hello"}"#)
            (self.bell, self.socketPath, self.lender) = (bell, String(socketPath), lender)
            self.channel = channel
        }
    }

    @Test("its bell stops, and the next one's turn comes, once its threads have left; nothing is lent to it any more")
    func lent() async throws {
        let lent = try await Lent()
        let stopping = Task { [bell = lent.bell] in await bell.stop() }
        while try listens(at: lent.socketPath) { await Task.yield() }
        // What the bell's thread does before this has been done.
        _ = await lent.bell.calls
        #expect(ProcessTurn.ofProcess.holder == Self.holder)
        shutdown(lent.channel.reading.number, Int32(SHUT_RDWR))
        await stopping.value
        #expect(ProcessTurn.ofProcess.holder != Self.holder)
        #expect(try lent.lender.waitUntilExit().isSuccess)
    }

    @Test("a channel that does not come back is given up, and named on standard error") func givenUp() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let lent = try await Lent(leavePatience: .milliseconds(20))
                await lent.bell.stop()
                #expect(ProcessTurn.ofProcess.holder == nil)
                #expect(try lent.lender.waitUntilExit().isSuccess)
                shutdown(lent.channel.reading.number, Int32(SHUT_RDWR))
            })
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("belfry: lent channels that do not come back: 1 served\n"), "\(text)")
    }

    @Test("a task that a test leaves behind has no state any more") func stateOfTheApp() async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let (late, state) = try await Belfry.running(Numbered()) { bell in
            try await bell.push(Self.alert).waitFor(.delivered, within: .seconds(60))
            #expect(Self.count == 1)
            let late = Task {
                for await _ in ends {}
                UserNotifications.UserDefaults(suiteName: Self.group)?.set(1, forKey: "late")
                return Self.count
            }
            return (late, bell.environment["BELFRY_STATE_DIRECTORY"] ?? "")
        }
        end.finish()
        #expect(await late.value == nil)
        #expect(unsafe access(state, F_OK) == -1)
    }

    private static var count: Int? {
        UserNotifications.UserDefaults(suiteName: group)?.object(forKey: "count") as? Int
    }
}
