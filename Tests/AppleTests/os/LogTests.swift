import BelfryAppleGround
import KeeperChannel
import Testing
@testable import os
import os.lock

/// What extensions log, as text; one test after another, since a line without a host goes to whoever hears one.
@Suite(.serialized) struct LogTests {
    @Test("a message holds its values, whatever is said of privacy, format and columns")
    func messages() {
        func text(_ message: OSLogMessage) -> String { message.text }
        #expect(text("plain 100% %@") == "plain 100% %@")
        #expect(text("\("a", privacy: .public) \("b", privacy: .private(mask: .hash)) \(3)") == "a b 3")
        #expect(text("\(255, format: .hex) \(8, format: .octal) \(7, privacy: .sensitive)") == "ff 10 7")
        #expect(text("\(0.5) \(2.345, format: .fixed(precision: 2))") == "0.500000 2.35")
        #expect(text("[\("a", align: .right(columns: 3))|\("b", align: .left(columns: 2))]") == "[  a|b ]")
        #expect(text("\(Int?.some(1) as Any)") == "Optional(1)")
        #expect(text("\("a", align: .right(columns: .max))").count == 1_024)
        #expect(text("\("", align: .none)|\(0.5, format: .exponential)") == "|5.000000e-01")
        #expect(text("\(2.5, format: .fixed(precision: 0)) \(0.5, format: .fixed(precision: -1))") == "2 0")
        #expect(text("\(0.5, format: .fixed(precision: 100))").count == 66)
    }

    @Test("each way to log compiles as on iOS, and none traps")
    func waysToLog() {
        let log = OSLog(subsystem: "com.example", category: "push")
        unsafe os_log("plain")
        unsafe os_log("%{public}@ and %d, %ld %s %%", log: log, type: .error, "a", 1, ["k": [1]], "x")
        unsafe os_log(.debug, log: log, "too few: %@ %@", "a")
        os_log(.info, "value \(1)")
        os_log("value \(1)")
        let logger = Logger(subsystem: "com.example", category: "push")
        logger.info("a \(1)")
        logger.log(level: .fault, "b")
        Logger().error("\("c", privacy: .private)")
        Logger(.disabled).critical("nowhere")
        #expect(log.isEnabled(type: .debug) && !OSLog.disabled.isEnabled(type: .fault))
        #expect([OSLogType.default, .info, .debug, .error, .fault].map(\.rawValue) == [0, 1, 2, 16, 17])
    }

    @Test("a lock guards its state, or nothing but code")
    func locks() async {
        let count = OSAllocatedUnfairLock(initialState: 0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { for _ in 0..<100 { count.withLock { $0 += 1 } } } }
        }
        #expect(count.withLock { $0 } == 5_000)
        let lock = OSAllocatedUnfairLock()
        lock.lock()
        #expect(!lock.lockIfAvailable())
        lock.unlock()
        #expect(lock.lockIfAvailable())
        lock.unlock()
        #expect(lock.withLock { 3 } == 3 && count.withLockUnchecked { $0 } == 5_000)
        #expect(os_proc_available_memory() >= 0)
    }

    @Test("what is logged reaches the host with its importance, in syslog's numbers, and with who says so")
    func hosts() {
        let heard = Heard()
        KeeperDoor.open(KeeperGreeting(stateDirectory: "", memoryBytesMax: 1)) { heard.take($0) }.run {
            let log = OSLog(subsystem: "s", category: "c")
            unsafe os_log("a %@", log: log, type: .error, "b")
            unsafe os_log(.fault, log: log, "c %d", 1)
            os_log("d \(1)")
            os_log(.debug, log: log, "e \(1)")
            let logger = Logger(subsystem: "s", category: "c")
            logger.log("f")
            logger.log(level: .error, "g")
            logger.trace("h")
            logger.debug("i")
            logger.info("j")
            logger.notice("k")
            logger.warning("l")
            logger.error("m")
            logger.critical("n")
            logger.fault("o")
            Logger().log("p")
            Logger(.disabled).fault("never")
        }
        #expect(
            heard.lines == [
                "a b 3 s c", "c 1 2 s c", "d 1 5  ", "e 1 7 s c", "f 5 s c", "g 3 s c", "h 7 s c", "i 7 s c",
                "j 6 s c", "k 5 s c", "l 3 s c", "m 3 s c", "n 2 s c", "o 2 s c", "p 5  ",
            ])
    }

    private final class Heard: Sendable {
        private let stored = OSAllocatedUnfairLock(initialState: [String]())

        var lines: [String] { stored.withLock { $0 } }

        func take(_ word: KeeperDoor.Word) {
            guard case .output(let output) = word else { return }
            let line = "\(output.text) \(output.priority) \(output.subsystem) \(output.category)"
            stored.withLock { $0.append(line) }
        }
    }
}
