import Foundation
import CallKit

struct Caller: Codable, Hashable {
    var name: String
    var phoneNumber: Int64
}

/// A value that the app and its extension share, as JSON in the defaults of their group.
@propertyWrapper
struct SharedDefault<Value: Codable> {
    let key: String
    let defaultValue: Value
    var container: UserDefaults { UserDefaults(suiteName: "group.com.example.callers")! }

    init(wrappedValue: Value, _ key: String) {
        self.key = key
        defaultValue = wrappedValue
    }

    var wrappedValue: Value {
        get {
            guard let data = container.data(forKey: key) else { return defaultValue }
            return (try? JSONDecoder().decode(Value.self, from: data)) ?? defaultValue
        }
        set {
            let data = try? JSONEncoder().encode(newValue)
            container.set(data, forKey: key)
        }
    }
}

enum CallerLists {
    @SharedDefault("blocked") static var blocked: [Caller] = []
    @SharedDefault("identified") static var identified: [Caller] = []

    static func store(blocked: [Caller], identified: [Caller]) {
        self.blocked = blocked
        self.identified = identified
    }
}

/// An extension whose app shares two lists with it.
class SharedListsHandler: CXCallDirectoryProvider {
    override func beginRequest(with context: CXCallDirectoryExtensionContext) {
        context.delegate = self

        if context.isIncremental {
            context.removeAllBlockingEntries()
            context.removeAllIdentificationEntries()
        }
        CallerLists.blocked
            .sorted { $0.phoneNumber < $1.phoneNumber }
            .forEach { context.addBlockingEntry(withNextSequentialPhoneNumber: $0.phoneNumber) }
        CallerLists.identified
            .sorted(by: { $0.phoneNumber < $1.phoneNumber })
            .forEach { caller in
                context.addIdentificationEntry(
                    withNextSequentialPhoneNumber: caller.phoneNumber, label: caller.name)
            }
        context.completeRequest()
    }
}

extension SharedListsHandler: CXCallDirectoryExtensionContextDelegate {
    func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: Error) {
        print("requestFailed", (error as NSError).code, error.localizedDescription)
    }
}
