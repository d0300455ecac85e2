// What an APNs endpoint reads of strangers: requests with their tokens, the extensions of certificates, and the files
// of keys and certificates that people add. A trap is a finding, and so is an answer that breaks what its reader
// promises.
import BelfryDevices
import BelfryJSON
import BelfryTLS
import BelfryTerms
import PushAPI
import PushEndpoint

/// Lines of a name, a colon and a value, and behind an empty line the body: one request on a connection, twice.
func feedEndpointRequest(_ bytes: [UInt8]) {
    var request = EndpointRequest()
    var body = EndpointBody()
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")), end > rest.startIndex {
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        guard let colon = line.dropFirst().firstIndex(of: UInt8(ascii: ":")) else { continue }
        request.add(Array(line[..<colon]).span, Array(line[(colon + 1)...]).span)
    }
    body.append(Array(rest.dropFirst()).span)
    precondition(body.bytes.count <= EndpointBody.payloadBytesMax + 1, "a body keeps too much")
    var connection = EndpointConnection(environment: .production, certificate: .none)
    for second in [Int64(0), 1] {
        let identifier = EndpointConnection.identifier(of: request) { "new" }
        let moment = EndpointMoment(
            wall: WallTime(microseconds: 1_790_000_000_000_000) + .seconds(second),
            instant: Instant(microseconds: 1 << 40) + .seconds(second))
        let accepted = try? connection.accept(
            request, body: body, identifier: identifier, at: moment, credentials: FuzzedEndpoint.credentials,
            isSigned: { _, signature, _ in signature.count == 64 }, standing: FuzzedEndpoint.standing)
        guard let push = accepted?.push else { continue }
        precondition(push.payload == body.bytes && push.apnsID == identifier, "a push is not as it came")
        precondition(DeviceToken(hex: push.token.hex) == push.token, "a token does not read back")
        precondition(connection.hasGoodCredential, "a push of nobody's")
    }
}

/// The first byte chooses the reader.
func feedCertificate(_ bytes: [UInt8]) {
    let input = Array(bytes.dropFirst())
    switch bytes.first ?? 0 {
    case 0:
        guard let topics = PushTopics.topics(inDER: input) else { return }
        precondition(topics.allSatisfy { !$0.isEmpty && $0.utf8.count <= 255 }, "a topic that is none")
    case 1:
        let half = input.count / 2
        let listed = PushTopics.listed(
            topicsValue: Array(input[..<half]), voipValue: Array(input[half...]), subjectTopic: "a.b")
        precondition(listed.map { Set($0).count <= $0.count } ?? true)
    case 2:
        guard let object = (try? JSONValue.parse(input))?.objectValue, let read = EndpointCredentials(json: object)
        else { return }
        let again = EndpointCredentials(json: read.json)
        precondition(again == read, "credentials do not read back")
    case 3: readCertificate(input)
    case 4:
        if let answer = ControlAnswer(line: input) {
            precondition(ControlAnswer(line: answer.line) == answer, "an answer to a tester does not read back")
        }
        guard let request = ControlRequest(line: input) else { return }
        precondition(ControlRequest(line: request.line) == request, "a request of a tester's does not read back")
    default:
        guard let key = try? SigningKey(pem: input), let point = try? key.publicPoint() else { return }
        precondition(point.count == ES256.pointBytes, "a point of another length")
        _ = try? TLSServer(chain: input, key: key)
    }
}

private func readCertificate(_ bytes: [UInt8]) {
    guard let certificate = try? Certificate(file: bytes) else { return }
    precondition(certificate.fingerprint.count == 32, "no fingerprint")
    _ = (certificate.userID, certificate.commonName, certificate.expiresAt)
    guard let value = certificate.extensionValue(PushTopics.topicsNumber) else { return }
    // What one certificate says, another of ours can say as well.
    _ = CertificateRequest.ExtensionValue(number: PushTopics.topicsNumber, der: value)
    _ = PushTopics.topics(inDER: value)
}

/// A key, and a device with a token of all ones.
private enum FuzzedEndpoint {
    static let credentials: EndpointCredentials = {
        var credentials = EndpointCredentials()
        credentials.keys["KEYKEYKEY1"] = EndpointKey(id: "KEYKEYKEY1", team: "TEAMTEAM01", publicPoint: [4])
        return credentials
    }()

    static func standing(_ token: DeviceToken) -> TokenStanding {
        .registered(
            Registration(
                token: token, deviceID: "1", kind: token.bytes[0] == 0xAB ? .alert : .voip,
                bundleID: "com.example.phone", appGroup: nil, environment: .production))
    }
}
