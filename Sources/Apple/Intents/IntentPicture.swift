import BelfryPictures
import BelfryProtocol
import BelfryTerms
import UserNotifications

extension UNMutableNotificationContent {
    /// Shows `image` as the picture of whoever it is from, which is none of the attachments; warns instead if it is no
    /// picture.
    func show(_ image: INImage?) {
        guard let data = image?.data else { return }
        guard let format = PictureFormat(of: [UInt8](data.prefix(PictureFormat.signatureBytes))) else {
            return KeeperDoor.warn(
                .attachmentDropped, "the picture of an intent is neither PNG, JPEG, GIF nor WebP")
        }
        let (ending, type) = format.file
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).\(ending)")
        do {
            try data.write(to: file)
            picture = NotificationAttachment(id: UUID().uuidString, path: file.path, type: type)
        } catch {
            KeeperDoor.warn(.attachmentDropped, "the picture of an intent: \(error)")
        }
    }
}

extension PictureFormat {
    /// How its files end, and their uniform type identifier.
    fileprivate var file: (ending: String, type: String) {
        switch self {
        case .png: ("png", "public.png")
        case .jpeg: ("jpg", "public.jpeg")
        case .gif: ("gif", "com.compuserve.gif")
        case .webp: ("webp", "org.webmproject.webp")
        }
    }
}
