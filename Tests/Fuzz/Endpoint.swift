// What an APNs endpoint reads of strangers: requests with their tokens, the extensions of certificates, and the files
// of keys and certificates that people add. A trap is a finding, and so is an answer that breaks what its reader
// promises.
import BelfryDevices
import BelfryJSON
import BelfryTLS
import BelfryTerms
@testable import PushAPI
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

/// The first byte chooses: a signature, as two numbers or in DER, which cannot be the public key's; or base64, which
/// says the same bytes however it is written.
func feedProviderToken(_ bytes: [UInt8]) {
    let input = Array(bytes.dropFirst())
    guard bytes.first.map({ $0 % 2 == 1 }) ?? false else {
        precondition(!ES256().isSigned([1, 2, 3], input, by: FuzzedEndpoint.point), "forged")
        return
    }
    let taken: Base64.Leniency = [.urlAlphabet, .unpadded]
    guard let decoded = Base64.decoded(input.span, allowing: taken) else { return }
    let digits = input.prefix { $0 != UInt8(ascii: "=") }
    precondition(decoded.count == digits.count * 3 / 4, "bytes are lost")
    let other = digits.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? 0x2F : $0 }
    precondition(Base64.decoded(other.span, allowing: taken) == decoded, "the two alphabets differ")
    let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
    precondition(Base64.decoded((other + padding).span, allowing: taken) == decoded, "padding changes something")
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
        _ = try? TLSClient(to: "localhost", trusting: input, socket: 0)
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

/// Keys, and a device with a token of all ones.
private enum FuzzedEndpoint {
    static let credentials: EndpointCredentials = {
        var credentials = EndpointCredentials()
        credentials.keys["KEYKEYKEY1"] = EndpointKey(id: "KEYKEYKEY1", team: "TEAMTEAM01", publicPoint: [4])
        return credentials
    }()

    /// A public key: the generator of P-256 (SEC 2, 2.4.2).
    static let point: [UInt8] =
        [4] + [
            0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2,
            0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96,
            0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16,
            0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5,
        ]

    static func standing(_ token: DeviceToken) -> TokenStanding {
        .registered(
            Registration(
                token: token, deviceID: "1", kind: token.bytes[0] == 0xAB ? .alert : .voip,
                bundleID: "com.example.phone", appGroup: nil, environment: .production))
    }
}
