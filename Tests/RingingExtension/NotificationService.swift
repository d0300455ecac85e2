// A ringing extension in the style of apps in the field, which nobody edits for Linux.
// swift-format-ignore-file
import AVFAudio
import AudioToolbox
import UIKit
import UserNotifications

let appGroup = "group.xxp.ring.callNotification"
let keyEnterToForground = "enterToForground"
let keyStartCallTime = "keyStartCallTime"

class NotificationService: UNNotificationServiceExtension {

    var contentHandler: ((UNNotificationContent) -> Void)?
    var bestAttemptContent: UNMutableNotificationContent?
    var soundID: SystemSoundID = 0

    let defaults = UserDefaults(suiteName: appGroup)

    override func didReceive(_ request: UNNotificationRequest,
                             withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void) {
        self.contentHandler = contentHandler
        bestAttemptContent = (request.content.mutableCopy() as? UNMutableNotificationContent)

        guard let bestAttemptContent = bestAttemptContent else {
            contentHandler(request.content)
            return
        }
        bestAttemptContent.title = "\(bestAttemptContent.title) [modified]"

        let info = request.content.userInfo["info"] as? Dictionary<String, Any>
        let type = info?["type"] as? Int32 ?? 0

        switch type {
        case 1:
            if isAppInForeground() || isCallNotifyActive() {
                contentHandler(bestAttemptContent)
                return
            }
            if #available(iOSApplicationExtension 15.0, *) {
                bestAttemptContent.interruptionLevel = .timeSensitive
            }
            playRing()
            contentHandler(bestAttemptContent)
            defaults?.set(Int64(Date().timeIntervalSince1970), forKey: keyStartCallTime)
            while isCallNotifyActive() {
                AudioServicesPlaySystemSound(kSystemSoundID_Vibrate)
                sleep(1)
            }
            defaults?.removeObject(forKey: keyStartCallTime)
            AudioServicesRemoveSystemSoundCompletion(soundID)
            AudioServicesDisposeSystemSoundID(soundID)
        case 2:
            defaults?.removeObject(forKey: keyStartCallTime)
            contentHandler(request.content)
        default:
            contentHandler(request.content)
        }
    }

    override func serviceExtensionTimeWillExpire() {
        // Called just before the extension will be terminated by the system.
        if let contentHandler = contentHandler, let bestAttemptContent = bestAttemptContent {
            contentHandler(bestAttemptContent)
        }
    }

    func isAppInForeground() -> Bool {
        return defaults?.bool(forKey: keyEnterToForground) ?? false
    }

    func isCallNotifyActive() -> Bool {
        guard !isAppInForeground(), let start = defaults?.object(forKey: keyStartCallTime) as? Int64 else {
            return false
        }
        return Int64(Date().timeIntervalSince1970) - start < 30
    }

    private func playRing() {
        guard let url = Bundle.main.url(forResource: "ring", withExtension: "mp3") else { return }
        AudioServicesCreateSystemSoundID(url as CFURL, &soundID)
        AudioServicesAddSystemSoundCompletion(soundID, nil, nil, { (soundID, clientData) -> Void in
            print("system sound \(soundID) has played")
        }, nil)
        AudioServicesPlaySystemSound(soundID)
        playAgain()
    }

    private func playAgain() {
        AudioServicesPlaySystemSoundWithCompletion(soundID) { [weak self] in
            guard let self = self, self.isCallNotifyActive() else { return }
            self.playAgain()
        }
    }
}
