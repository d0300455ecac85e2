import CallKit
import ExtensionTesting
import Testing
import UserNotifications

@testable import DirectorySample

/// Handlers as published apps have them, which read what their apps have stored in their group.
@Suite(.callDirectory) struct PublishedHandlerTests {
    @Test("one that reads a text file of numbers from its group's container")
    func textFile() async throws {
        let missing = try await DirectoryTesting.load(TextFileHandler())
        #expect(missing.error == .unknown && missing.cancellation != nil && missing.blocked.isEmpty)
        let group = "group.com.example.blocklist"
        let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
        let file = try #require(container).appendingPathComponent("numbers.txt")
        try "18005555555\n14085555555\n\nnone\n14085555555\n".write(to: file, atomically: true, encoding: .utf8)
        let first = try await DirectoryTesting.load(TextFileHandler(), after: missing)
        #expect(first.error == nil && first.blocked == [14_085_555_555, 18_005_555_555])
        try "4930000001\n".write(to: file, atomically: true, encoding: .utf8)
        let second = try await DirectoryTesting.load(TextFileHandler(), after: first)
        #expect(second.error == nil && second.isIncremental && second.blocked == [4_930_000_001])
    }

    @Test("one whose app shares two lists of Codable values by a property wrapper over the group's defaults")
    func sharedLists() async throws {
        let empty = try await DirectoryTesting.load(SharedListsHandler())
        #expect(empty.error == nil && empty.blocked.isEmpty && empty.identified.isEmpty)
        CallerLists.store(
            blocked: [Caller(name: "B", phoneNumber: 18_005_555_555), Caller(name: "A", phoneNumber: 14_085_555_555)],
            identified: [Caller(name: "Shop", phoneNumber: 4_930_000_001)])
        let second = try await DirectoryTesting.load(SharedListsHandler(), after: empty)
        #expect(second.error == nil && second.isIncremental && second.blocked == [14_085_555_555, 18_005_555_555])
        #expect(second.identified == [4_930_000_001: "Shop"])
    }
}
