import BelfryJSON
package import BelfryProtocol
import BelfryTerms

extension NotificationContent {
    /// The content with `loc-key`, `title-loc-key` and `subtitle-loc-key` looked up in the `.lproj` folders of the
    /// bundle, and the arguments in their places. A key that is not there stays as it came.
    ///
    /// iOS looks them up in the app's bundle, for which the extension's stands in.
    package func localized(in bundle: Bundle = KeeperDoor.bundle) -> NotificationContent {
        guard case .object(let alert)? = userInfo["aps"]?.objectValue?["alert"] else { return self }
        var content = self
        func look(_ plain: String, _ prefix: String, _ field: WritableKeyPath<NotificationContent, String>) {
            guard alert[plain]?.stringValue?.isEmpty ?? true,
                let key = alert["\(prefix)loc-key"]?.stringValue, !key.isEmpty
            else { return }
            let text = bundle.text(forKey: key, value: nil, table: nil)
            guard text != key else { return }
            let arguments = (alert["\(prefix)loc-args"]?.arrayValue ?? []).map { $0.stringValue ?? "" }
            content[keyPath: field] = Placeholders.filled(text, arguments, .texts, bytesMax: Self.textBytesMax)
        }
        look("title", "title-", \.title)
        look("subtitle", "subtitle-", \.subtitle)
        look("body", "", \.body)
        return content
    }

    /// The most bytes of a text, since an argument can be named many times.
    private static let textBytesMax = 8 << 10
}
