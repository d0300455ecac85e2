import Testing
import os.lock
@testable import os

/// What extensions log, as text.
@Suite struct LogTests {
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
        #expect(lock.withLock { 3 } == 3 && count.withLockUnchecked { $0 } == 5_000)
        #expect(os_proc_available_memory() >= 0)
    }
}
