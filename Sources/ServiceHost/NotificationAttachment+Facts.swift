import CLinux
import Glibc
import Interception
import Notifications

extension NotificationAttachment {
    /// What the file is now: a regular file that can be read, and how large.
    var facts: AttachmentFacts {
        var status = stat()
        let isReadable = unsafe path.hasPrefix("/") && stat(path, &status) == 0 && access(path, R_OK) == 0
        guard isReadable, status.st_mode & S_IFMT == S_IFREG else { return AttachmentFacts(bytes: nil) }
        return AttachmentFacts(bytes: Int64(status.st_size))
    }
}
