import BelfryProtocol
import Foundation
import Glibc
import Support
import Testing
@testable import UserNotifications

/// Attachments check their file as they are made: R2, with Apple's numbers.
@Suite(.onPhone) struct AttachmentTests {
    private let folder = TemporaryFolder()

    private func attach(_ bytes: [UInt8], as name: String, _ options: [AnyHashable: Any]? = nil) -> Int? {
        code(of: URL(fileURLWithPath: folder.write(bytes, to: name)), options)
    }

    private func code(of url: URL, _ options: [AnyHashable: Any]? = nil) -> Int? {
        do {
            _ = try UNNotificationAttachment(identifier: "a", url: url, options: options)
            return nil
        } catch {
            #expect(
                (error as NSError).domain == UNErrorDomain && (error as NSError).code == (error as? UNError)?.errorCode)
            return (error as NSError).code
        }
    }

    @Test("R2 what is no file is 100, what is no known type 101, what is not what it says 105")
    func codes() throws {
        #expect(attach(SmallPNG.bytes(), as: "a.png") == nil && attach(SmallPNG.bytes(), as: "A.PNG") == nil)
        #expect(code(of: URL(fileURLWithPath: folder.path + "/absent.png")) == 100)
        #expect(code(of: URL(fileURLWithPath: folder.path)) == 100)
        #expect(code(of: URL(fileURLWithPath: folder.path + "/absent/../a.png")) == 100)
        let web = try #require(URL(string: "https://example.com/a.png"))
        #expect(code(of: web) == 100)
        #expect(attach(SmallPNG.bytes(), as: "a") == 101 && attach(SmallPNG.bytes(), as: "a.tmp") == 101)
        #expect(attach([], as: "empty.png") == 105)
        #expect(attach(Array("<html>not found</html>".utf8), as: "page.jpg") == 105)
        #expect(attach(Array("RIFF".utf8), as: "a.wav") == nil && attach([0], as: "a.mp4") == nil)
    }

    @Test("R2 a hint names the type where the extension does not")
    func hints() throws {
        let key = UNNotificationAttachmentOptionsTypeHintKey
        #expect(attach(SmallPNG.bytes(), as: "a.tmp", [key: "public.png"]) == nil)
        #expect(attach(SmallPNG.bytes(), as: "a.png", [key: "public.plain-text"]) == 101)
        let url = URL(fileURLWithPath: folder.write(SmallPNG.bytes(), to: "b.tmp"))
        let attachment = try UNNotificationAttachment(
            identifier: "b", url: url, options: [key: "public.png" as NSString])
        #expect(attachment.type == "public.png" && attachment.url == url && attachment.identifier == "b")
    }

    @Test("R2 a file that is larger than its kind may be is 102")
    func sizes() throws {
        for (name, limit) in [("a.png", 10 << 20), ("a.mp3", 5 << 20), ("a.mp4", 50 << 20)] as [(String, Int)] {
            let path = folder.write(SmallPNG.bytes(), to: name)
            #expect(unsafe truncate(path, limit) == 0)
            #expect(code(of: URL(fileURLWithPath: path)) == nil)
            #expect(unsafe truncate(path, limit + 1) == 0)
            #expect(code(of: URL(fileURLWithPath: path)) == 102)
        }
    }

    @Test("options survive, whatever number they are; without an identifier there is one all the same")
    func options() throws {
        let url = URL(fileURLWithPath: folder.write(SmallPNG.bytes(), to: "a.png"))
        let clip = CGRect(x: 0.25, y: 0, width: 0.5, height: 1).dictionaryRepresentation
        let attachment = try UNNotificationAttachment(
            identifier: "", url: url,
            options: [
                UNNotificationAttachmentOptionsThumbnailHiddenKey: true,
                UNNotificationAttachmentOptionsThumbnailClippingRectKey: clip,
                UNNotificationAttachmentOptionsThumbnailTimeKey: 2,
            ])
        #expect(UUID(uuidString: attachment.identifier) != nil)
        let expected = AttachmentThumbnail(
            isHidden: true, clip: AttachmentThumbnail.Clip(x: 0.25, y: 0, width: 0.5, height: 1), time: 2)
        #expect(attachment.value.thumbnail == expected)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: attachment, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: UNNotificationAttachment.self, from: archive)
        #expect(read == attachment && read?.hash == attachment.hash)
        let time = ["value": 5, "timescale": 2]
        let film = try UNNotificationAttachment(
            identifier: "f", url: url, options: [UNNotificationAttachmentOptionsThumbnailTimeKey: time])
        #expect(film.value.thumbnail.time == 2.5)
    }

    @Test("errors have Apple's numbers and words")
    func errors() {
        #expect(
            UNError.Code.allCases.map(\.rawValue) == [1, 100, 101, 102, 103, 104, 105, 1400, 1401, 1500, 1501, 1600])
        #expect(UNError(.attachmentCorrupt).localizedDescription == "Attachment is corrupt")
        #expect((UNError(.attachmentInvalidURL) as NSError).localizedDescription == "Invalid attachment file URL")
        #expect(UNError.errorDomain == "UNErrorDomain" && UNError(.badgeInputInvalid).code == UNError.badgeInputInvalid)
    }
}
