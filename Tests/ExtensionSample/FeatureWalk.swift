import AudioToolbox
import SQLite3
import Security
import UIKit
import UserNotifications

/// Everything that asks something of the kernel, one after the other: a unit's confinement may refuse any of it.
struct FeatureWalk {
    /// What worked.
    private var worked: [String] = []
    /// The picture that it drew.
    private var attachments: [UNNotificationAttachment] = []

    private static let group = "group.sample"

    init() {
        let png = UIGraphicsImageRenderer(size: CGSize(width: 8, height: 8)).pngData { context in
            UIColor.red.setFill()
            context.fill(CGRect(x: 0, y: 0, width: 4, height: 4))
        }
        if UIImage(data: png)?.size.width ?? 0 > 0 { worked.append("drawing") }
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("drawn.png")
        try? png.write(to: url)
        attachments = [try? UNNotificationAttachment(identifier: "drawn", url: url)].compactMap { $0 }
        if Self.keepsPassword() { worked.append("keychain") }
        if Self.keepsRow() { worked.append("database") }
        let defaults = UserNotifications.UserDefaults(suiteName: Self.group)
        defaults?.set("kept", forKey: "walk")
        if defaults?.string(forKey: "walk") == "kept" { worked.append("defaults") }
    }

    /// Lists what worked in the body, and attaches the picture.
    func describe(in content: UNMutableNotificationContent) {
        (content.body, content.attachments) = (worked.joined(separator: " "), attachments)
    }

    private static func keepsPassword() -> Bool {
        let item: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "walk"]
        SecItemDelete(item as CFDictionary)
        let secret = Data("secret".utf8)
        guard SecItemAdd(item.merging([kSecValueData: secret]) { $1 } as CFDictionary, nil) == errSecSuccess
        else { return false }
        var found: CFTypeRef?
        let status = unsafe SecItemCopyMatching(item.merging([kSecReturnData: true]) { $1 } as CFDictionary, &found)
        return status == errSecSuccess && found as? Data == secret
    }

    private static func keepsRow() -> Bool {
        guard let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group) else {
            return false
        }
        var database: OpaquePointer?
        defer { unsafe sqlite3_close(database) }
        let statements = "PRAGMA journal_mode=WAL; CREATE TABLE IF NOT EXISTS t(n); INSERT INTO t VALUES (1)"
        return unsafe sqlite3_open(folder.appendingPathComponent("walk.sqlite").path, &database) == SQLITE_OK
            && sqlite3_exec(database, statements, nil, nil, nil) == SQLITE_OK
    }
}
