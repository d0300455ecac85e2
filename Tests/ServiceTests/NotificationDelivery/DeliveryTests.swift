import BelfryProtocol
import BelfryTerms
import Interception
import NotificationDelivery
import Support
import Testing

/// An extension that a test plays, and what it was told.
private final class PlayedExtension: ServiceExtension {
    weak var delegate: (any ServiceExtensionDelegate)?
    var isBusy = false
    /// Whether it answers at once that it is admitted, and hands over at once what it receives.
    var admitsAtOnce = true
    var handsOverAtOnce: NotificationContent?
    /// What it hands over if it is stopped; nil is nothing.
    var bestAttempt: NotificationContent?
    private(set) var told: [String] = []
    private(set) var decided: ((ExtensionVerdict) -> Void)?

    func admit(within budget: Budget, _ decided: @escaping (ExtensionVerdict) -> Void) {
        told.append("admit")
        if admitsAtOnce { decided(.admitted) } else { self.decided = decided }
    }

    func didReceive(_ request: NotificationRequest, within budget: Budget) {
        told.append("didReceive \(request.content.title)")
        if let content = handsOverAtOnce { delegate?.extensionHandedOver(content) }
    }

    func serviceExtensionTimeWillExpire() { told.append("timeWillExpire") }

    func stop() {
        told.append("stop")
        if let bestAttempt { delegate?.extensionHandedOver(bestAttempt) }
    }

    func end() { told.append("end") }
}

/// The delivery of one notification with an extension that a test plays: R1, R2, R3 and R17 as the driver has them.
@Suite struct DeliveryTests {
    private let loop = HandLoop()
    private let service = PlayedExtension()

    /// A walk, and what was told of it.
    private final class Walk {
        let delivery: Delivery
        private(set) var story: [String] = []
        private(set) var end: Delivery.End?

        init(_ notification: SortedNotification, on loop: HandLoop, acceptedAgo: TimeSpan) {
            final class Weak { weak var walk: Walk? }
            let box = Weak()
            delivery = Delivery(
                notification, timers: loop, budget: Budget(start: loop.now - acceptedAgo, length: .seconds(30)),
                report: { box.walk?.story.append(Walk.words($0)) },
                ended: {
                    #expect(box.walk?.end == nil, "ended twice")
                    box.walk?.end = $0
                })
            box.walk = self
        }

        private static func words(_ body: Event.Body) -> String {
            switch body {
            case .received(let received): "received \(received.type.rawValue)"
            case .delivered(let by, let content, let isShown):
                "delivered \(by.rawValue) \(content.title)" + (isShown ? "" : ", not shown")
            case .warning(let code, let detail): "warning \(code.rawValue) \(detail)"
            case .rejected(let reason, let detail): "rejected \(reason) \(detail)"
            default: "\(body)"
            }
        }
    }

    private static func content(_ title: String) -> NotificationContent {
        var content = NotificationContent()
        content.title = title
        return content
    }

    private func walk(
        passthrough: PassthroughReason? = nil, isAccompanied: Bool = true, acceptedAgo: TimeSpan = .zero,
        mayBeFiltered: Bool = false
    ) -> Walk {
        let request = NotificationRequest(
            id: "00000000-0000-4000-8000-000000000000", content: Self.content("as it came"))
        let notification = SortedNotification(
            request: request, received: Event.Received(type: .alert, call: nil, why: passthrough),
            passthrough: passthrough,
            remarks: [.warning(code: .fieldIgnored, detail: "remark")],
            service: isAccompanied ? service : nil, mayBeFiltered: mayBeFiltered)
        return Walk(notification, on: loop, acceptedAgo: acceptedAgo)
    }

    private static let beginning = ["received alert", "warning field-ignored remark"]

    @Test("R2 admitted, received, handed over, delivered, ended: in this order, and only then is the walk over")
    func wholeWalk() {
        let walk = walk()
        service.isBusy = true
        walk.delivery.start()
        #expect(walk.story == Self.beginning && service.told == ["admit", "didReceive as it came"])
        walk.delivery.extensionHandedOver(Self.content("changed"))
        #expect(walk.story == Self.beginning + ["delivered extension changed"])
        #expect(service.told.last == "end" && walk.end == nil)
        service.isBusy = false
        walk.delivery.extensionIsIdle()
        walk.delivery.extensionIsIdle()
        #expect(walk.end == .handled)
    }

    @Test("R1 a notification without an extension is passed through at once") func passThrough() {
        let walk = walk(passthrough: .noMutableContent, isAccompanied: false)
        walk.delivery.start()
        #expect(walk.story == Self.beginning + ["delivered passthrough as it came"] && walk.end == .handled)
        walk.delivery.stop()
        loop.advance(by: .seconds(60))
        #expect(walk.story.count == 3)
    }

    @Test("R1 a voip push is passed through as its extension hands it over, and not before") func voip() {
        let walk = walk(passthrough: .voip)
        walk.delivery.start()
        loop.advance(by: .milliseconds(29_500))
        #expect(walk.story == Self.beginning && !service.told.contains("timeWillExpire"))
        walk.delivery.extensionHandedOver(Self.content("Grace"))
        #expect(walk.story.last == "delivered passthrough Grace" && walk.end == .handled)
    }

    @Test("R1 R3 a voip push whose extension says nothing is passed through as it came, at the end") func voipInVain() {
        let walk = walk(passthrough: .voip)
        walk.delivery.start()
        loop.advance(by: .seconds(30))
        #expect(walk.story.last == "delivered passthrough as it came" && walk.end == .handled)
    }

    @Test("R16 a refused notification is rejected, and nothing else happens") func busy() {
        let walk = walk()
        service.admitsAtOnce = false
        walk.delivery.start()
        #expect(walk.story.isEmpty)
        service.decided?(.refused(Rejection(.busy, detail: "full")))
        #expect(walk.story == ["rejected Busy full"] && walk.end == .refused)
        walk.delivery.stop()
        loop.advance(by: .seconds(40))
        #expect(walk.story.count == 1 && service.told == ["admit"])
    }

    @Test("R3 the extension is told a second before the end; at the end the original is delivered; later is too late")
    func expiry() {
        let walk = walk()
        walk.delivery.start()
        loop.advance(by: .milliseconds(28_999))
        #expect(service.told.count == 2)
        loop.advance(by: .milliseconds(1))
        #expect(service.told.last == "timeWillExpire" && walk.story.last?.hasPrefix("warning time-will-expire") == true)
        loop.advance(by: .seconds(1))
        #expect(walk.story.last == "delivered expiry as it came" && service.told.last == "end" && walk.end == .handled)
        walk.delivery.extensionHandedOver(Self.content("late"))
        #expect(walk.story.last?.hasPrefix("warning handler-called-again") == true)
    }

    @Test("R3 the budget runs from when the connection was accepted, however long ago that is") func acceptedEarlier() {
        let walk = walk(acceptedAgo: .seconds(20))
        walk.delivery.start()
        loop.advance(by: .milliseconds(9_999))
        #expect(service.told.last == "timeWillExpire" && walk.end == nil)
        loop.advance(by: .milliseconds(1))
        #expect(walk.story.last == "delivered expiry as it came")
        let late = self.walk(acceptedAgo: .seconds(40))
        late.delivery.start()
        loop.runUntilIdle()
        #expect(late.story.last == "delivered expiry as it came" && late.end == .handled)
    }

    @Test("R3 an extension that begins only now has all of its time, which the wait was no part of") func begins() {
        let walk = walk()
        walk.delivery.start()
        loop.advance(by: .seconds(20))
        walk.delivery.extensionBegan(within: Budget(start: loop.now, length: .seconds(30)))
        loop.advance(by: .milliseconds(28_999))
        #expect(walk.story == Self.beginning)
        loop.advance(by: .milliseconds(1))
        #expect(service.told.last == "timeWillExpire")
        loop.advance(by: .seconds(1))
        #expect(walk.story.last == "delivered expiry as it came" && walk.end == .handled)
    }

    @Test("R2 an extension that dies leaves the original, before or after it handed something over") func dies() {
        let first = walk()
        first.delivery.start()
        first.delivery.extensionDied()
        #expect(first.story.last == "delivered crash as it came" && first.end == .handled)
        let second = walk()
        second.delivery.start()
        second.delivery.extensionHandedOver(Self.content("changed"))
        second.delivery.extensionDied()
        #expect(second.story.last == "delivered extension changed" && second.end == .handled)
    }

    @Test("R2 an extension may hand over while it is being called; content without alert text means the original")
    func handsOverAtOnce() {
        service.handsOverAtOnce = Self.content("at once")
        let walk = walk()
        walk.delivery.start()
        #expect(walk.story.last == "delivered extension at once" && walk.end == .handled)
        service.handsOverAtOnce = NotificationContent()
        let wordless = self.walk()
        wordless.delivery.start()
        #expect(wordless.story.suffix(2).first?.hasPrefix("warning no-alert-text") == true)
        #expect(wordless.story.last == "delivered extension as it came")
    }

    @Test("R2 one that may filter has nothing shown by content without text, or by its end") func filtered() {
        service.handsOverAtOnce = NotificationContent()
        let wordless = walk(mayBeFiltered: true)
        wordless.delivery.start()
        #expect(wordless.story == Self.beginning + ["delivered extension , not shown"] && wordless.end == .handled)
        service.handsOverAtOnce = nil
        let dead = walk(mayBeFiltered: true)
        dead.delivery.start()
        dead.delivery.extensionDied()
        #expect(dead.story.last == "delivered crash as it came, not shown")
    }

    @Test("R2 an intent's picture that iOS would not show is dropped with Apple's number; a WebP is none of these")
    func picture() {
        let folder = TemporaryFolder()
        for (file, type, number) in [
            ("/nonexistent", "public.png", "100"), (folder.write([1], to: "a"), "public.mp3.x", "101"),
            (folder.write([], to: "b"), "org.webmproject.webp", "105"),
            (folder.write([1], to: "c"), "org.webmproject.webp", nil),
        ] as [(String, String, String?)] {
            var content = Self.content("changed")
            content.picture = NotificationAttachment(id: "p", path: file, type: type)
            let walk = walk()
            walk.delivery.start()
            walk.delivery.extensionHandedOver(content)
            let before = walk.story.suffix(2).first ?? ""
            #expect(before.hasPrefix("warning attachment-dropped \(number ?? "")") == (number != nil), "\(before)")
        }
    }

    @Test("R2 a bad attachment is dropped with Apple's number, the rest is delivered") func attachment() {
        var content = Self.content("changed")
        content.attachments = [NotificationAttachment(id: "a", path: "/nonexistent", type: "public.png")]
        let walk = walk()
        walk.delivery.start()
        walk.delivery.extensionHandedOver(content)
        #expect(walk.story.suffix(2).first?.hasPrefix("warning attachment-dropped 100") == true)
        #expect(walk.story.last == "delivered extension changed")
    }

    @Test("R3 an extension that never says whether it takes the notification cannot keep it: the original is delivered")
    func neverAdmitted() {
        for passthrough in [nil, PassthroughReason.voip] {
            let walk = walk(passthrough: passthrough)
            service.admitsAtOnce = false
            walk.delivery.start()
            loop.advance(by: .milliseconds(29_999))
            #expect(walk.story.isEmpty)
            loop.advance(by: .milliseconds(1))
            let by = passthrough == nil ? "expiry" : "passthrough"
            #expect(walk.story == Self.beginning + ["delivered \(by) as it came"] && walk.end == .handled)
            service.decided?(.admitted)
            service.decided?(.refused(Rejection(.busy, detail: "late")))
            #expect(walk.story.count == 3 && service.told.suffix(2) == ["admit", "end"])
        }
    }

    // MARK: R17, a stop at each point of the walk

    @Test("R17 a stop while it waits to be admitted, and is not within a second, delivers the original")
    func stopNeverAdmitted() {
        let walk = walk()
        service.admitsAtOnce = false
        walk.delivery.start()
        walk.delivery.stop()
        loop.advance(by: .milliseconds(500))
        walk.delivery.stop()
        loop.advance(by: .milliseconds(499))
        #expect(walk.story.isEmpty)
        loop.advance(by: .milliseconds(1))
        #expect(walk.story == Self.beginning + ["delivered stopped as it came"] && walk.end == .handled)
    }

    @Test("R17 a stop while it waits to be admitted takes effect as the walk begins") func stopBeforeAdmission() {
        let walk = walk()
        service.admitsAtOnce = false
        service.bestAttempt = Self.content("best")
        walk.delivery.start()
        walk.delivery.stop()
        #expect(walk.story.isEmpty && service.told == ["admit"])
        service.decided?(.admitted)
        #expect(walk.story == Self.beginning + ["delivered stopped best"])
        #expect(service.told == ["admit", "didReceive as it came", "stop", "end"] && walk.end == .handled)
    }

    @Test("R17 a stop while it waits to be admitted leaves a second in all") func stopLongBeforeAdmission() {
        let walk = walk()
        service.admitsAtOnce = false
        walk.delivery.start()
        walk.delivery.stop()
        loop.advance(by: .milliseconds(700))
        service.decided?(.admitted)
        loop.advance(by: .milliseconds(299))
        #expect(walk.story == Self.beginning)
        loop.advance(by: .milliseconds(1))
        #expect(walk.story.last == "delivered stopped as it came")
    }

    @Test("R17 a stop while a notification is intercepted delivers the best attempt") func stopDuring() {
        service.bestAttempt = Self.content("best")
        let walk = walk()
        walk.delivery.start()
        walk.delivery.stop()
        #expect(walk.story.last == "delivered stopped best" && walk.end == .handled)
    }

    @Test("R17 an extension that does not answer a stop has a second, then the original is delivered")
    func stopUnanswered() {
        let walk = walk()
        walk.delivery.start()
        walk.delivery.stop()
        walk.delivery.stop()
        loop.advance(by: .milliseconds(999))
        #expect(walk.story == Self.beginning)
        loop.advance(by: .milliseconds(1))
        #expect(walk.story.last == "delivered stopped as it came" && walk.end == .handled)
    }

    @Test("R17 a stop while a voip push waits passes it through") func stopVoip() {
        service.bestAttempt = Self.content("best")
        let walk = walk(passthrough: .voip)
        walk.delivery.start()
        walk.delivery.stop()
        #expect(walk.story.last == "delivered passthrough best" && walk.end == .handled)
    }

    @Test("R17 a stop after the delivery reaches an extension that is still busy") func stopAfter() {
        let walk = walk()
        service.isBusy = true
        walk.delivery.start()
        walk.delivery.extensionHandedOver(Self.content("changed"))
        walk.delivery.stop()
        #expect(service.told.suffix(2) == ["end", "stop"] && walk.end == nil)
        service.isBusy = false
        walk.delivery.extensionIsIdle()
        #expect(walk.end == .handled && walk.story.count == 3)
    }
}

/// The queue both drivers feed their machines by.
@Suite struct EffectQueueTests {
    @Test("whoever enters first drains the queue, inputs that come meanwhile included; the next to enter drains again")
    func drains() {
        var queue = EffectQueue<Int>()
        var drained: [Int?] = []
        var entered = [queue.enter(1)]
        drained.append(queue.next())
        entered += [queue.enter(2), queue.enter(3)]
        for _ in 0..<3 { drained.append(queue.next()) }
        entered.append(queue.enter(4))
        for _ in 0..<2 { drained.append(queue.next()) }
        #expect(entered == [true, false, false, true] && drained == [1, 2, 3, nil, 4, nil])
    }

    @Test("who enters before the first input was taken out does not drain it too") func entersAtOnce() {
        var queue = EffectQueue<Int>()
        #expect([queue.enter(1), queue.enter(2)] == [true, false])
    }
}
