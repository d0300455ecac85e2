import BelfryEventLoop
import BelfryTerms
import Glibc
import Support
import Synchronization
import Testing

/// What other threads tell the loop.
@Suite struct LoopPosterTests {
    @Test func whatManyThreadsPostArrivesOnTheLoopEachThreadsInOrder() throws {
        let loop = try Loop()
        let (threadCount, messageCount) = (4, 5_000)
        let lasts = UncheckedReference(value: Counts([Int](repeating: -1, count: threadCount)))
        let loopReference = UncheckedReference(value: loop)
        let threads = (0..<threadCount).map { thread in
            PosixThread { [poster = loop.poster] in
                for number in 0..<messageCount {
                    poster.post {
                        loopReference.value.assertOnLoop()
                        #expect(number == lasts.value.counts[thread] + 1)
                        lasts.value.counts[thread] = number
                        if lasts.value.counts.allSatisfy({ $0 == messageCount - 1 }) { loopReference.value.stop() }
                    }
                }
            }
        }
        loop.run()
        for thread in threads { thread.join() }
        #expect(lasts.value.counts == [Int](repeating: messageCount - 1, count: threadCount))
    }

    @Test func aSleepingLoopIsWoken() throws {
        let loop = try Loop()
        let thread = PosixThread { [poster = loop.poster] in poster.post {} }
        thread.join()
        let told = UncheckedReference(value: Counts([0]))
        let loopReference = UncheckedReference(value: loop)
        let second = PosixThread { [poster = loop.poster] in
            poster.post {
                told.value.counts[0] += 1
                loopReference.value.stop()
            }
        }
        loop.run()
        second.join()
        #expect(told.value.counts == [1])
    }

    @Test func whatIsPostedMeanwhileWaitsForTheNextIteration() throws {
        let loop = try Loop()
        let order = UncheckedReference(value: Order())
        let poster = loop.poster
        @Sendable func post(_ number: Int) {
            poster.post {
                order.value.words.append("message \(number)")
                if number < 3 { post(number + 1) }
            }
        }
        post(1)
        _ = loop.schedule(at: loop.now, description: "due") { order.value.words.append("timer") }
        loop.runUntilIdle()
        #expect(order.value.words.count == 4)
        #expect(order.value.words.last == "message 3")
    }

    @Test func anEndedLoopPerformsNothing() throws {
        var loop: Loop? = try Loop()
        let poster = try #require(loop).poster
        let received = UncheckedReference(value: Counts([0]))
        loop?.runUntilIdle()
        #expect(poster.post { received.value.counts[0] += 1 })
        loop = nil
        #expect(!poster.post { received.value.counts[0] += 1 })
        #expect(received.value.counts == [0])
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

private final class Counts {
    var counts: [Int]

    init(_ counts: [Int]) { self.counts = counts }
}

private final class Order {
    var words: [String] = []
}
