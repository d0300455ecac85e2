import BelfrySyscalls
import Support
import Testing

@Suite struct LockedValueTests {
    @Test func oneThreadAtATimeHasTheValue() {
        let counts = LockedValue([0, 0])
        let threads = (0..<4).map { _ in
            PosixThread {
                for _ in 0..<50_000 {
                    counts.withLock { counts in
                        counts[0] += 1
                        counts[1] = counts[0]
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(counts.withLock { $0 } == [200_000, 200_000])
    }
}
