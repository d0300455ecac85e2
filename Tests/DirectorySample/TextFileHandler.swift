import Foundation
import CallKit

/// As many apps have it: the app downloads a list of numbers into the container of its group, for the extension.
class TextFileHandler: CXCallDirectoryProvider {
    private let groupIdentifier = "group.com.example.blocklist"

    override func beginRequest(with context: CXCallDirectoryExtensionContext) {
        context.delegate = self

        guard
            let container = FileManager.default.containerURL(
                forSecurityApplicationGroupIdentifier: groupIdentifier)
        else {
            let error = NSError(domain: "TextFileHandler", code: 1, userInfo: nil)
            context.cancelRequest(withError: error)
            return
        }
        do {
            let text = try String(contentsOf: container.appendingPathComponent("numbers.txt"), encoding: .utf8)
            let lines = text.components(separatedBy: .newlines).filter { !$0.isEmpty }
            let numbers = Set(lines.compactMap { CXCallDirectoryPhoneNumber($0) }).sorted()
            if context.isIncremental {
                context.removeAllBlockingEntries()
            }
            for number in numbers {
                autoreleasepool {
                    context.addBlockingEntry(withNextSequentialPhoneNumber: number)
                }
            }
            context.completeRequest { expired in
                NSLog("numbers loaded: %d, expired: %@", numbers.count, expired ? "yes" : "no")
            }
        } catch {
            NSLog("Unable to read the numbers: \(error.localizedDescription)")
            context.cancelRequest(withError: error)
        }
    }
}

extension TextFileHandler: CXCallDirectoryExtensionContextDelegate {
    func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: Error) {
        NSLog("Request failed: \(error.localizedDescription)")
    }
}
