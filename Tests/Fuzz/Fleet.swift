// What programs of a fleet read: the files of credentials, which people carry from one machine to another.
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
