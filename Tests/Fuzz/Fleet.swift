// What programs of a fleet read: the files of credentials, which people carry from one machine to another, what brokers
// say, and what the bucket, machines and gateways say of devices.
import BelfryDevices
import BelfryTerms
import Fleet

/// What is read is written and read the same, and is for a name that a broker takes for one alone.
func feedFleetCredential(_ bytes: [UInt8]) {
    guard let credential = try? FleetCredential(bytes: bytes) else { return }
    precondition(FleetName(credential.name.text) == credential.name, "a name that is none")
    precondition(credential.claims.name == credential.name.text, "a token for another name")
    precondition((1...FleetCredential.brokersMax).contains(credential.brokers.count), "brokers without a limit")
    for broker in credential.brokers { precondition(BrokerAddress("\(broker)") == broker, "a broker reads otherwise") }
    let again = try? FleetCredential(bytes: Array(credential.text.utf8))
    precondition(again == credential, "a credential does not read back")
    try? credential.check(at: WallTime(microseconds: 1_790_000_000_000_000))
}

/// The words are the same however they are cut, and as long as they may be.
func feedBrokerWords(_ bytes: [UInt8]) {
    let text = Array(bytes.dropFirst())
    let size = 1 + Int(bytes.first ?? 0)
    let pieces = stride(from: 0, to: text.count, by: size).map { Array(text[$0..<min($0 + size, text.count)]) }
    let whole = words([text])
    precondition(whole.words == words(pieces).words, "other words where they are cut")
    precondition(whole.isBroken == words(pieces).isBroken, "an error where they are cut, or none")
    for case .message(let message) in whole.words {
        precondition(message.bytes.count <= BrokerWordReader.messageBytesMax, "a message without a limit")
        precondition(!message.subject.isEmpty && message.reply != "", "a message of no subject")
    }
}

private func words(_ pieces: [[UInt8]]) -> (words: [BrokerWord], isBroken: Bool) {
    var reader = BrokerWordReader()
    var words: [BrokerWord] = []
    for piece in pieces {
        reader.hear(piece)
        do throws(BrokerWordError) {
            while let word = try reader.next() { words.append(word) }
        } catch { return (words, true) }
    }
    return (words, false)
}

/// What is read is written and read the same, and a key has one spelling.
func feedFleetDevice(_ bytes: [UInt8]) {
    if let entry = try? DeviceEntry(bytes: bytes) {
        precondition(entry.alertToken != entry.voipToken, "one token for both kinds")
        precondition((try? DeviceEntry(bytes: entry.bytes)) == entry, "an entry does not read back")
    }
    if let device = try? ForgottenDevice(bytes: bytes) {
        precondition((try? ForgottenDevice(bytes: device.bytes)) == device, "what is forgotten does not read back")
    }
    if let question = try? DeviceQuestion.read(bytes) {
        precondition((try? DeviceQuestion.read(question.bytes)) == question, "a question does not read back")
    }
    if let answer = try? DeviceAnswer.read(bytes) {
        precondition((try? DeviceAnswer.read(answer.bytes)) == answer, "an answer does not read back")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    if let key = BucketKey(text) { precondition(key.text == text, "a key changes") }
    playMirror(bytes)
}

/// A bucket that says anything, in any order: the mirror has no more than it may, and reads no number twice.
private func playMirror(_ bytes: [UInt8]) {
    var limits = MirrorStateMachine.Limits()
    (limits.devicesPerMachineMax, limits.devicesMax, limits.earlyMax) = (2, 3, 2)
    let (now, wall) = (Instant(microseconds: 0), WallTime(microseconds: 1_790_000_000_000_000))
    var mirror = MirrorStateMachine(limits: limits, at: now) { _ in }
    _ = mirror.brokerIsThere(at: now)
    _ = mirror.begin(1, bucket: "a", last: 3, at: now, wall)
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1).map(Array.init)
        let key = words.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let before = mirror.reached
        let place = UInt64(index + 1)
        let delivery = MirrorStateMachine.Delivery(
            place: place, sequence: place, key: key, value: words.count > 1 ? words[1] : nil)
        _ = mirror.take(delivery, of: 1, at: now, wall)
        precondition(mirror.reached >= before, "a mirror goes back")
    }
}

/// What gateways and machines say of pushes and of being there is written and read the same.
func feedFleetPush(_ bytes: [UInt8]) {
    if let push = try? FleetPush(bytes: bytes) {
        precondition((try? FleetPush(bytes: push.bytes)) == push, "a push does not read back")
    }
    if let saying = try? FleetSaying.read(bytes) {
        precondition((try? FleetSaying.read(saying.bytes)) == saying, "a saying does not read back")
    }
    if let here = try? HereMessage(bytes: bytes) {
        precondition((try? HereMessage(bytes: here.bytes)) == here, "a machine's word does not read back")
    }
    if let answer = try? HereAnswer(bytes: bytes) {
        precondition((try? HereAnswer(bytes: answer.bytes)) == answer, "a gateway's word does not read back")
    }
}

/// A line of a relay or its endpoint is one line again, and reads the same.
func feedRelayWords(_ bytes: [UInt8]) {
    let newline = UInt8(ascii: "\n")
    // As it comes: without its end.
    let line = bytes.filter { $0 != newline }
    if let question = RelayQuestion(line: line) {
        precondition(RelayQuestion(line: Array(question.line.dropLast())) == question, "a question does not read back")
    }
    if let status = FleetStatus(line: line) {
        precondition(FleetStatus(line: Array(status.line.dropLast())) == status, "a status does not read back")
    }
    if let restored = FleetRestoration(line: line) {
        precondition(FleetRestoration(line: Array(restored.line.dropLast())) == restored, "it does not read back")
    }
    if let news = RelayNews(line: line) {
        precondition(!news.line.dropLast().contains(newline), "news of two lines")
        precondition(RelayNews(line: Array(news.line.dropLast())) == news, "news do not read back")
    }
}

/// What brokers say of the bucket, as they say it: nothing of it ends a gateway, and no number is out of its range.
func feedFleetBucket(_ bytes: [UInt8]) {
    var reader = BrokerWordReader()
    reader.hear(bytes)
    while case .message(let message)? = try? reader.next() {
        if case .written(let sequence) = BucketAnswer(message) { precondition(sequence > 0, "written at no number") }
        guard case .delivery(let delivery, let watch)? = BucketWord(message) else { continue }
        precondition(delivery.place > 0 && delivery.sequence > 0, "a delivery without a number")
        let request = BucketRequest.watch(
            name: watch, after: delivery.sequence, to: message.subject, heartbeat: .seconds(2))
        precondition(!request.bytes.isEmpty, "no request")
    }
}
