// What programs of a fleet read: the files of credentials, which people carry from one machine to another, and what
// brokers say.
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
