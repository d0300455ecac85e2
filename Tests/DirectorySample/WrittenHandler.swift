import CallKit
import Glibc
import os

/// A handler that does what is written beside its program, line by line.
final class WrittenHandler: CXCallDirectoryProvider {
    private let lines: [String]
    private var held: [[UInt8]] = []

    init(_ text: String) {
        lines = text.split(separator: "\n").map(String.init)
        super.init()
    }

    override func beginRequest(with context: CXCallDirectoryExtensionContext) {
        context.delegate = self
        for line in lines { carryOut(line.split(separator: " ").map(String.init), context) }
    }

    private func carryOut(_ words: [String], _ context: CXCallDirectoryExtensionContext) {
        let numbers = words.dropFirst().compactMap { CXCallDirectoryPhoneNumber($0) }
        switch words[0] {
        case "incremental": print("incremental \(context.isIncremental)")
        case "block": for number in numbers { context.addBlockingEntry(withNextSequentialPhoneNumber: number) }
        case "range":
            for number in numbers[0]...numbers[1] { context.addBlockingEntry(withNextSequentialPhoneNumber: number) }
        case "labels":
            for number in numbers[0]...numbers[1] {
                context.addIdentificationEntry(withNextSequentialPhoneNumber: number, label: "label \(number)")
            }
        case "label":
            let label = words.dropFirst(2).joined(separator: " ")
            context.addIdentificationEntry(withNextSequentialPhoneNumber: numbers[0], label: label)
        case "unblock": for number in numbers { context.removeBlockingEntry(withPhoneNumber: number) }
        case "unblock-all": context.removeAllBlockingEntries()
        case "complete": context.completeRequest { print("expired \($0)") }
        case "cancel": context.cancelRequest(withError: NSError(domain: "app", code: Int(numbers[0])))
        case "hang": while true { pause() }
        case "exit": exit(Int32(numbers[0]))
        case "kill": raise(SIGKILL)
        case "hold": held.append([UInt8](repeating: 1, count: Int(numbers[0]) << 20))
        case "nice": print("nice \(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))")
        case "log": Logger(subsystem: "directory", category: "test").error("logged")
        case "group":
            let defaults = UserDefaults(suiteName: words[1])
            print("group \(defaults?.string(forKey: "key") ?? "nothing")")
            defaults?.set("loaded", forKey: "key")
        case "container":
            let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: words[1])
            let file = folder?.appendingPathComponent("numbers.txt")
            let text = file.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
            for number in (text ?? "").split(separator: "\n").compactMap({ CXCallDirectoryPhoneNumber($0) }) {
                context.addBlockingEntry(withNextSequentialPhoneNumber: number)
            }
        default: print("what is \(words[0])?")
        }
    }
}

extension WrittenHandler: CXCallDirectoryExtensionContextDelegate {
    func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
        print("failed \((error as NSError).code)")
    }
}
