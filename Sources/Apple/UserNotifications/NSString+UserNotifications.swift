import BelfryTerms

extension NSString {
    /// The text of `key` in the person's language, from the main bundle, with `arguments` in their places.
    public class func localizedUserNotificationString(forKey key: String, arguments: [Any]?) -> String {
        let text = KeeperDoor.bundle.text(forKey: key, value: nil, table: nil)
        guard let arguments else { return text }
        return Placeholders.filled(text, arguments.map { String(describing: $0) })
    }
}
