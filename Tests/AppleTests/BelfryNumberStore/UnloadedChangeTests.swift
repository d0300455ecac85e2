import CallKit
import Testing

@testable import BelfryNumberStore

/// Changes of a number store that no reload follows.
@Suite struct UnloadedChangeTests {
    @Test("the last change of a store is told, unless a reload came after it")
    func last() async {
        // In a process of its own: others' reloads would count.
        await #expect(processExitsWith: .success) {
            let (first, other) = (UnloadedChange(in: "group.a"), UnloadedChange(in: "group.b"))
            #expect(first.isLast && other.isLast)
            let second = UnloadedChange(in: "group.a")
            #expect(!first.isLast && second.isLast && other.isLast)
            CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: "com.example.numbers") { _ in }
            #expect(!second.isLast && !other.isLast)
            #expect(UnloadedChange(in: "group.b").isLast)
        }
    }

    @Test("what changes nothing waits for no reload")
    func nothingChanged() async {
        await #expect(processExitsWith: .success) {
            try await Phone.door.run {
                let store = NumberStore(group: "group.same")
                try await store.addBlocked([1])
                let change = UnloadedChange(in: "group.same")
                try await store.addBlocked([1])
                try await store.removeBlocked([2])
                try await store.removeAllIdentified()
                #expect(change.isLast)
                try await store.addBlocked([2])
                #expect(!change.isLast)
            }
        }
    }
}
