import BelfryEventLoop
import BelfryTerms
import Glibc
import Support
import Synchronization
import Testing

/// What other threads tell the loop.
@Suite struct InboxTests {
    @Test func messagesOfManyThreadsArriveOnTheLoopEachThreadsInOrder() throws {
        let loop = try Loop()
        let (threadCount, messageCount) = (4, 5_000)
        var lasts = [Int](repeating: -1, count: threadCount)
        var received = 0
        let inbox = loop.makeInbox(of: (thread: Int, number: Int).self) { message in
            loop.assertOnLoop()
            #expect(message.number == lasts[message.thread] + 1)
            lasts[message.thread] = message.number
            received += 1
            if received == threadCount * messageCount { loop.stop() }
        }
        let threads = (0..<threadCount).map { thread in
            PosixThread {
                for number in 0..<messageCount { inbox.post((thread, number)) }
            }
        }
        loop.run()
        for thread in threads { thread.join() }
        #expect(received == threadCount * messageCount)
    }

    @Test func aSleepingLoopIsWoken() throws {
        let loop = try Loop()
        let thread = PosixThread { [poster = loop.poster] in poster.post {} }
        thread.join()
        var isTold = false
        let inbox = loop.makeInbox(of: Int.self) { _ in
            isTold = true
            loop.stop()
        }
        let second = PosixThread { inbox.post(1) }
        loop.run()
        second.join()
        #expect(isTold)
    }

    @Test func whatIsPostedMeanwhileWaitsForTheNextIteration() throws {
        let loop = try Loop()
        let inbox = loop.makeInbox(of: Int.self) { _ in }
        _ = inbox
        var order: [String] = []
        var poster: Inbox<Int>?
        poster = loop.makeInbox(of: Int.self) { number in
            order.append("message \(number)")
            if number < 3 { poster?.post(number + 1) }
        }
        poster?.post(1)
        _ = loop.schedule(at: loop.now, description: "due") { order.append("timer") }
        loop.runUntilIdle()
        #expect(order.count == 4)
        #expect(order.last == "message 3")
    }

    @Test func aClosedInboxAndAnEndedLoopReceiveNothing() throws {
        var loop: Loop? = try Loop()
        var received = 0
        let closed = try #require(loop).makeInbox(of: Int.self) { _ in received += 1 }
        let open = try #require(loop).makeInbox(of: Int.self) { _ in received += 1 }
        closed.post(1)
        closed.close()
        loop?.runUntilIdle()
        #expect(open.post(1))
        loop = nil
        #expect(!open.post(2))
        #expect(received == 0)
    }

    @Test func offTheLoopsThreadEverythingElseTraps() async {
        await #expect(processExitsWith: .failure) {
            let loop = try Loop()
            let reference = UncheckedReference(value: loop)
            PosixThread { _ = reference.value.schedule(at: reference.value.now, description: "stray") {} }.join()
        }
        await #expect(processExitsWith: .failure) {
            let loop = try Loop()
            let timer = UncheckedReference(value: loop.schedule(at: loop.now, description: "own") {})
            PosixThread { timer.value.cancel() }.join()
        }
    }
}

/// Carries to another thread what does not belong there.
private struct UncheckedReference<Value>: @unchecked Sendable {
    let value: Value
}
