/// What the package of a new call directory extension has of its own: the class that Xcode makes, and its test.
enum DirectoryTemplate {
    /// The class of the template.
    static let className = "CallDirectoryHandler"

    /// Its sources, by their names.
    static let sources = [PackageTemplate.File(path: "\(className).swift", text: handler)]

    static let program = """
        import DirectoryProcess

        DirectoryProcess.run($())

        """

    /// What its `Info.plist` has beside the identifier.
    static func information(target: String) -> String {
        """
            <key>CFBundleDisplayName</key>
            <string>\(target)</string>
            <key>NSExtension</key>
            <dict>
                <key>NSExtensionPointIdentifier</key>
                <string>com.apple.callkit.call-directory</string>
            </dict>

        """
    }

    /// What Xcode's template does.
    private static let handler = """
        import Foundation
        import CallKit

        class CallDirectoryHandler: CXCallDirectoryProvider {
            override func beginRequest(with context: CXCallDirectoryExtensionContext) {
                context.delegate = self

                // Only what has changed since the last load is wanted, if that succeeded; else everything.
                if context.isIncremental {
                    addOrRemoveIncrementalBlockingPhoneNumbers(to: context)
                    addOrRemoveIncrementalIdentificationPhoneNumbers(to: context)
                } else {
                    addAllBlockingPhoneNumbers(to: context)
                    addAllIdentificationPhoneNumbers(to: context)
                }
                context.completeRequest()
            }

            private func addAllBlockingPhoneNumbers(to context: CXCallDirectoryExtensionContext) {
                // Numbers are country code and national number, and come in ascending order.
                let phoneNumbers: [CXCallDirectoryPhoneNumber] = [1_408_555_5555, 1_800_555_5555]
                for phoneNumber in phoneNumbers {
                    context.addBlockingEntry(withNextSequentialPhoneNumber: phoneNumber)
                }
            }

            private func addOrRemoveIncrementalBlockingPhoneNumbers(to context: CXCallDirectoryExtensionContext) {
                let phoneNumbersToAdd: [CXCallDirectoryPhoneNumber] = [1_408_555_1234]
                for phoneNumber in phoneNumbersToAdd {
                    context.addBlockingEntry(withNextSequentialPhoneNumber: phoneNumber)
                }
                let phoneNumbersToRemove: [CXCallDirectoryPhoneNumber] = [1_800_555_5555]
                for phoneNumber in phoneNumbersToRemove {
                    context.removeBlockingEntry(withPhoneNumber: phoneNumber)
                }
            }

            private func addAllIdentificationPhoneNumbers(to context: CXCallDirectoryExtensionContext) {
                let phoneNumbers: [CXCallDirectoryPhoneNumber] = [1_877_555_5555, 1_888_555_5555]
                let labels = ["Telemarketer", "Local business"]
                for (phoneNumber, label) in zip(phoneNumbers, labels) {
                    context.addIdentificationEntry(withNextSequentialPhoneNumber: phoneNumber, label: label)
                }
            }

            private func addOrRemoveIncrementalIdentificationPhoneNumbers(to context: CXCallDirectoryExtensionContext) {
                let phoneNumbersToAdd: [CXCallDirectoryPhoneNumber] = [1_408_555_5678]
                let labelsToAdd = ["New local business"]
                for (phoneNumber, label) in zip(phoneNumbersToAdd, labelsToAdd) {
                    context.addIdentificationEntry(withNextSequentialPhoneNumber: phoneNumber, label: label)
                }
                let phoneNumbersToRemove: [CXCallDirectoryPhoneNumber] = [1_888_555_5555]
                for phoneNumber in phoneNumbersToRemove {
                    context.removeIdentificationEntry(withPhoneNumber: phoneNumber)
                }
            }
        }

        extension CallDirectoryHandler: CXCallDirectoryExtensionContextDelegate {
            func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: Error) {
                // The numbers were refused, and the old ones stay: whoever has asked for the load gets the error.
                print("the numbers were refused: \\(error)")
            }
        }

        """

    /// The test of the class `name`: what it gives in a whole load and in an incremental one, or, if it is the
    /// developer's own, that both succeed.
    static func test(of name: String, in target: String, isOwn: Bool) -> String {
        let expectations =
            isOwn
            ? ["#expect(first.error == nil)", "#expect(second.error == nil)"]
            : [
                "#expect(first.error == nil && first.blocked == [14085555555, 18005555555])",
                "#expect(second.isIncremental && second.blocked == [14085551234, 14085555555])",
            ]
        return """
            import ExtensionTesting
            import Testing
            @testable import \(target)

            struct \(className)Tests {
                @Test func loads() async throws {
                    let first = try await DirectoryTesting.load(\(name)())
                    \(expectations[0])
                    let second = try await DirectoryTesting.load(\(name)(), after: first)
                    \(expectations[1])
                }
            }

            """
    }
}
