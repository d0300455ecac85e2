import CallKit

/// The switch of a call directory's extension, as apps show it, and in words why a load has failed.
package final class DirectoryService {
    private let identifier = "com.example.PhoneApp.Numbers"

    package init() {}

    package func reload(completion: @escaping (String?) -> Void) {
        CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: identifier) { error in
            guard let error = error else { return completion(nil) }
            if let error = error as? CXErrorCodeCallDirectoryManagerError {
                completion(DirectoryService.text(for: error.code))
            } else {
                completion(error.localizedDescription)
            }
        }
    }

    package func checkStatus(completion: @escaping (Bool) -> Void) {
        CXCallDirectoryManager.sharedInstance.getEnabledStatusForExtension(
            withIdentifier: identifier,
            completionHandler: { status, error in
                if let error = error { print(error.localizedDescription) }
                switch status {
                case .enabled: completion(true)
                case .disabled, .unknown: completion(false)
                @unknown default: completion(false)
                }
            })
    }

    package func openSettings() {
        if #available(iOS 13.4, *) {
            CXCallDirectoryManager.sharedInstance.openSettings { error in
                if let error = error { print("Error opening settings: \(error.localizedDescription)") }
            }
        }
    }

    package func reloadNow() async -> String? {
        do {
            let status = try await CXCallDirectoryManager.sharedInstance
                .enabledStatusForExtension(withIdentifier: identifier)
            guard status == .enabled else {
                try await CXCallDirectoryManager.sharedInstance.openSettings()
                return nil
            }
            try await CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: identifier)
            return nil
        } catch CXErrorCodeCallDirectoryManagerError.currentlyLoading {
            return "try again later"
        } catch let error as CXErrorCodeCallDirectoryManagerError where error.code == .extensionDisabled {
            return "switch it on in the settings"
        } catch let error as NSError {
            let code = CXErrorCodeCallDirectoryManagerError.Code(rawValue: error.code) ?? .unknown
            return error.domain == CXErrorDomainCallDirectoryManager ? DirectoryService.text(for: code) : "\(error)"
        }
    }

    private static func text(for code: CXErrorCodeCallDirectoryManagerError.Code) -> String {
        switch code {
        case .unknown: return "unknown error"
        case .noExtensionFound: return "no extension found"
        case .loadingInterrupted: return "loading was interrupted"
        case .entriesOutOfOrder: return "entries are out of order"
        case .duplicateEntries: return "there are duplicate entries"
        case .maximumEntriesExceeded: return "too many entries"
        case .extensionDisabled: return "the extension is disabled"
        case .currentlyLoading: return "it is loading"
        case .unexpectedIncrementalRemoval: return "unexpected removal"
        @unknown default: return "another error"
        }
    }
}
