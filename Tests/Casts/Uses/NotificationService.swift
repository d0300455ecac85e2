import AVFAudio
import AudioToolbox
import CallKit
import Combine
import CommonCrypto
import CoreLocation
import CryptoKit
import Foundation
import ImageIO
import Intents
import SQLite3
import Security
import UIKit
import UniformTypeIdentifiers
import UserNotifications
import os

/// Uses something of each module, and each way to load a web address, and tells what does not answer: linked
/// statically, what is only looked up by its name may be missing.
@MainActor
final class NotificationService: UNNotificationServiceExtension {
    private var content: UNMutableNotificationContent?
    private var wrong: [String] = []

    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else { return }
        self.content = content
        check("loc-key", content.title == "Greetings, Ann")
        check("String(localized:)", String(localized: "\(3) new") == "3 new ones")
        pictures()
        cryptography()
        storage()
        sound()
        let address = (content.userInfo["address"] as? String).flatMap(URL.init) ?? URL(fileURLWithPath: "/")
        check("Data(contentsOf:)", (try? Data(contentsOf: address)) == Data("loaded".utf8))
        check("String(contentsOf:)", (try? String(contentsOf: address, encoding: .utf8)) == "loaded")
        Task {
            let data = try? await URLSession.shared.data(from: address).0
            self.check("URLSession", data == Data("loaded".utf8))
            URLSession.shared.downloadTask(with: address) { file, _, _ in
                let text = file.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
                DispatchQueue.main.async {
                    self.check("downloadTask", text == "loaded")
                    content.subtitle =
                        self.wrong.isEmpty ? "all uses answer" : self.wrong.joined(separator: "; ")
                    contentHandler((try? content.updating(from: self.message())) ?? content)
                }
            }.resume()
        }
    }

    override func serviceExtensionTimeWillExpire() { content?.subtitle = "too late" }

    private func check(_ what: String, _ holds: Bool) { if !holds { wrong.append(what) } }

    private func pictures() {
        let format = UIGraphicsImageRendererFormat()
        format.scale = 1
        let drawn = UIGraphicsImageRenderer(size: CGSize(width: 8, height: 8), format: format).image { context in
            UIColor.red.setFill()
            context.fill(CGRect(x: 0, y: 0, width: 8, height: 8))
            ("i" as NSString).draw(at: .zero, withAttributes: [.font: UIFont.systemFont(ofSize: 4)])
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("a.png")
        try? drawn.pngData()?.write(to: file)
        check("UIImage", UIImage(contentsOfFile: file.path)?.size == CGSize(width: 8, height: 8))
        let source = CGImageSourceCreateWithURL(file as CFURL, nil)
        let options: [CFString: Any] = [
            kCGImageSourceThumbnailMaxPixelSize: 4, kCGImageSourceCreateThumbnailFromImageAlways: true,
        ]
        let thumbnail = source.flatMap { CGImageSourceCreateThumbnailAtIndex($0, 0, options as CFDictionary) }
        check("CGImageSource", thumbnail?.width == 4)
        if let attachment = try? UNNotificationAttachment(identifier: "a", url: file) {
            content?.attachments = [attachment]
        } else {
            wrong.append("UNNotificationAttachment")
        }
        check("UTType", UTType(filenameExtension: "png") == .png)
    }

    private func cryptography() {
        let (key, abc) = (SymmetricKey(size: .bits256), Data("abc".utf8))
        let sealed = try? AES.GCM.seal(abc, using: key)
        check("AES.GCM", sealed.flatMap { try? AES.GCM.open($0, using: key) } == abc)
        let digest = Data(SHA256.hash(data: abc))
        var other = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
        _ = abc.withUnsafeBytes { CC_SHA256($0.baseAddress, CC_LONG(abc.count), &other) }
        check("CC_SHA256", Data(other) == digest)
        let secret = try? P256.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(
            with: P256.KeyAgreement.PrivateKey().publicKey)
        check("P256", secret != nil)
    }

    private func storage() {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a", kSecValueData: Data([1]),
        ]
        check("SecItemAdd", [errSecSuccess, errSecDuplicateItem].contains(SecItemAdd(query as CFDictionary, nil)))
        let defaults = UserDefaults(suiteName: "group.uses")
        defaults?.set(3, forKey: "three")
        check("UserDefaults", defaults?.integer(forKey: "three") == 3)
        var database: OpaquePointer?
        check("SQLite3", sqlite3_open(":memory:", &database) == SQLITE_OK)
        sqlite3_close(database)
        let subject = CurrentValueSubject<Int, Never>(1)
        var values: [Int] = []
        let sink = subject.map { $0 * 2 }.sink { values.append($0) }
        subject.send(2)
        sink.cancel()
        check("Combine", values == [2, 4])
        Logger(subsystem: "com.example.uses", category: "a").notice("told \(values.count)")
        check(
            "CLCircularRegion",
            CLCircularRegion(
                center: CLLocationCoordinate2D(latitude: 1, longitude: 2), radius: 3, identifier: "a"
            ).radius == 3)
    }

    private func sound() {
        var number: SystemSoundID = 0
        let url = Bundle.main.url(forResource: "ring", withExtension: "wav")
        check("Bundle.main", url != nil)
        guard let url else { return }
        check("AVAudioFile", ((try? AVAudioFile(forReading: url))?.length ?? 0) > 0)
        check("AudioServices", AudioServicesCreateSystemSoundID(url as CFURL, &number) == kAudioServicesNoError)
        AudioServicesPlaySystemSoundWithCompletion(number) {}
        AudioServicesPlaySystemSound(kSystemSoundID_Vibrate)
        content?.sound = UNNotificationSound(named: UNNotificationSoundName("ring.wav"))
    }

    private func message() -> INSendMessageIntent {
        let ann = INPerson(
            personHandle: INPersonHandle(value: "ann", type: .unknown), nameComponents: nil, displayName: "Ann",
            image: UIImage(contentsOfFile: content?.attachments.first?.url.path ?? "")?.pngData()
                .map { INImage(imageData: $0) },
            contactIdentifier: nil, customIdentifier: nil)
        return INSendMessageIntent(
            recipients: nil, outgoingMessageType: .outgoingMessageText, content: "b", speakableGroupName: nil,
            conversationIdentifier: "c", serviceName: nil, sender: ann, attachments: nil)
    }
}
