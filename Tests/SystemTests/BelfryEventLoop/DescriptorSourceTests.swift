import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import Support
import Testing

/// Descriptors on the real sd-event, and what the binding makes of sd-event's manners.
@Suite struct DescriptorSourceTests {
    @Test func tellsReadableAndHangup() throws {
        let loop = try Loop()
        let ends = try DescriptorPair.pipe()
        var told: [Readiness] = []
        let source = try loop.watch(descriptor: ends.reading.number, events: .readable, description: "pipe") {
            told.append($0)
            var byte: UInt8 = 0
            _ = unsafe read(ends.reading.number, &byte, 1)
        }
        loop.runUntilIdle()
        #expect(told.isEmpty)
        try send(1, to: ends.writing.number)
        loop.runUntilIdle()
        #expect(told == [.readable])
        source.cancel()
        try send(1, to: ends.writing.number)
        loop.runUntilIdle()
        #expect(told.count == 1)
        #expect(!source.isActive)
    }

    @Test func whatComesAfterAllThatIsReadyIsNotHeldUpByWhatAlwaysIs() throws {
        let loop = try Loop()
        let first = try DescriptorPair.pipe()
        let second = try DescriptorPair.pipe()
        var told: [String] = []
        for (number, name) in [(first.reading.number, "a"), (second.reading.number, "b")] {
            // Nobody reads it: it is ready for ever.
            _ = try loop.watch(descriptor: number, events: .readable, description: name) { _ in
                told.append(name)
                if told.count == 1 {
                    loop.afterReady(description: "all") {
                        told.append("all")
                        loop.stop()
                    }
                }
            }
        }
        try send(1, to: first.writing.number)
        try send(1, to: second.writing.number)
        loop.run()
        let before = told.prefix { $0 != "all" }
        #expect(before.contains("a") && before.contains("b") && before.count < 10)
    }

    @Test func whatCameAfterAllThatIsReadyLeavesNoSourceBehind() async {
        await #expect(processExitsWith: .success) {
            let loop = try Loop()
            func queue(_ count: Int) {
                for _ in 0..<count {
                    loop.afterReady(description: "all") {}
                    loop.runUntilIdle()
                }
            }
            queue(100)
            let before = mallinfo2().uordblks
            queue(1_000)
            let left = mallinfo2().uordblks - before
            // A source takes some hundred bytes.
            precondition(left < 100_000, "\(left) bytes are left of a thousand sources")
        }
    }

    @Test func aFullCloseIsToldUnaskedAndLeftEnabledItSpins() throws {
        let loop = try Loop()
        let ends = try SocketPair()
        let (reading, writing) = (ends.reading.number, ends.writing.number)
        var count = 0
        let source = try loop.watch(descriptor: reading, events: [], description: "socket") { readiness in
            #expect(!readiness.isDisjoint(with: .hangup))
            count += 1
            if count == 100 { loop.stop() }
        }
        shutdown(writing, Int32(SHUT_RDWR))
        loop.run()
        #expect(count == 100)
        var afterwards = 0
        loop.afterThis(description: "end") { afterwards = count }
        _ = loop.schedule(at: loop.now, description: "end") { source.cancel() }
        loop.runUntilIdle()
        #expect(afterwards >= 100)
    }

    @Test(arguments: ["/dev/null", "/etc/passwd"])
    func whatNeverNeedsWaitingIsRefusedWithEPERM(path: String) throws {
        let loop = try Loop()
        let file = OwnedDescriptor(owning: unsafe open(path, O_RDONLY | O_CLOEXEC))
        let number = file.number
        let error = #expect(throws: SystemError.self) {
            try loop.watch(descriptor: number, events: .readable, description: path) { _ in }
        }
        #expect(error?.errno == EPERM)
    }

    @Test func aSourceMayEndItselfInItsOwnCallBack() throws {
        let loop = try Loop()
        let ends = try DescriptorPair.pipe()
        try send(2, to: ends.writing.number)
        var count = 0
        var source: DescriptorSource?
        source = try loop.watch(descriptor: ends.reading.number, events: .readable, description: "once") { _ in
            count += 1
            source?.cancel()
        }
        loop.runUntilIdle()
        #expect(count == 1)
    }

    @Test func aSourceThatAnothersCallBackEndsNeverFiresAlthoughItIsDue() throws {
        let loop = try Loop()
        let first = try DescriptorPair.pipe()
        let second = try DescriptorPair.pipe()
        try send(1, to: first.writing.number)
        try send(1, to: second.writing.number)
        var sources: [DescriptorSource] = []
        var count = 0
        for descriptor in [first.reading.number, second.reading.number] {
            sources.append(
                try loop.watch(descriptor: descriptor, events: .readable, description: "rival") { _ in
                    count += 1
                    for source in sources { source.cancel() }
                }
            )
        }
        loop.runUntilIdle()
        #expect(count == 1)
    }

    @Test func whatACallBackHoldsIsReleasedExactlyWhenItsSourceEnds() throws {
        let loop = try Loop()
        let ends = try DescriptorPair.pipe()
        try send(1, to: ends.writing.number)
        weak var held: Witness?
        weak var source: DescriptorSource?
        do {
            let witness = Witness()
            held = witness
            source = try loop.watch(descriptor: ends.reading.number, events: .readable, description: "holder") { _ in
                withExtendedLifetime(witness) {}
                source?.cancel()
                // It still runs, so what it holds must still be there.
                #expect(held != nil)
                #expect(source?.isActive == false)
            }
        }
        #expect(held != nil)
        #expect(source != nil)
        loop.runUntilIdle()
        #expect(held == nil)
        #expect(source == nil)
    }

    @Test func whatSourcesHoldIsReleasedWithTheirLoop() throws {
        weak var held: Witness?
        let ends = try DescriptorPair.pipe()
        let source: DescriptorSource
        do {
            let loop = try Loop()
            let witness = Witness()
            held = witness
            source = try loop.watch(descriptor: ends.reading.number, events: .readable, description: "holder") { _ in
                withExtendedLifetime(witness) {}
            }
            _ = loop.schedule(at: loop.now, description: "holder") { withExtendedLifetime(witness) {} }
            loop.afterThis(description: "holder") { withExtendedLifetime(witness) {} }
            loop.poster.post { withExtendedLifetime(witness) {} }
        }
        #expect(held == nil)
        #expect(!source.isActive)
        source.cancel()
    }

    @Test func oneIterationDispatchesOneSourceAndNoneStarves() throws {
        let loop = try Loop()
        let ends = try DescriptorPair.pipe()
        try send(1, to: ends.writing.number)
        var reads = 0
        // Never reads what it is told of, so it is always due; the timer must come through all the same.
        let source = try loop.watch(descriptor: ends.reading.number, events: .readable, description: "busy") { _ in
            reads += 1
        }
        var ticks = 0
        func tick() {
            _ = loop.schedule(at: loop.now, description: "tick") {
                ticks += 1
                if ticks == 50 { loop.stop() } else { tick() }
            }
        }
        tick()
        loop.run()
        source.cancel()
        #expect(ticks == 50)
        #expect(reads > 0)
    }

    @Test func afterForkTheLoopIsRefused() async {
        // sd-event gives -ECHILD; as that can only be a defect of ours, it traps with the call's name.
        await #expect(processExitsWith: .failure) {
            let loop = try Loop()
            // Swift hides fork(2), rightly.
            let symbol = unsafe dlsym(nil, "fork")
            let fork = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
            let child = fork()
            if child == 0 { loop.runUntilIdle() }
            var end: Int32 = 0
            _ = unsafe waitpid(child, &end, 0)
            exit(end == 0 ? 0 : 1)
        }
    }

    @Test func aCallBackThatRunsTheLoopTraps() async {
        await #expect(processExitsWith: .failure) {
            let loop = try Loop()
            loop.afterThis(description: "nested") { loop.runUntilIdle() }
            loop.runUntilIdle()
        }
    }

    private func send(_ count: Int, to descriptor: Int32) throws {
        let bytes = [UInt8](repeating: 0, count: count)
        try checked("write") { unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) } }
    }
}

/// Something whose end can be seen.
private final class Witness: Sendable {}
