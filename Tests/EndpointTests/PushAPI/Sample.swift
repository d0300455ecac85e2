import BelfryDevices
import BelfryTerms

@testable import PushAPI

/// A request that is in order, of a server whose key and certificate were added, to a phone that has two tokens; each
/// test changes what it is about.
struct Sample {
    static let now = WallTime(microseconds: 1_790_000_000_000_000)
    static let alertToken = DeviceToken(bytes: [UInt8](repeating: 0xAB, count: 32))
    static let voipToken = DeviceToken(bytes: [UInt8](repeating: 0xCD, count: 32))
    static let goodSignature = [UInt8](repeating: 7, count: 64)

    var method = "POST"
    var path = "/3/device/" + String(repeating: "ab", count: 32)
    /// nil where there is none; a token made at ``now`` otherwise.
    var authorization: String? = Sample.bearer()
    var headers: [(String, String)] = [("apns-topic", "com.example.phone")]
    var payload = Array(#"{"aps":{"alert":"x"}}"#.utf8)
    var certificate = ClientCertificate.none
    var environment = APNsEnvironment.production
    var credentials = Sample.credentials()
    /// What a signature has to be.
    var isSigned: SignatureCheck = { _, signature, _ in signature == Sample.goodSignature }
    var isRemoved = false
    /// Whether its app was given another token since.
    var isReplaced = false
    /// The app that its tokens are of.
    var bundleID = "com.example.phone"

    static func key(
        _ id: String = "KEYKEYKEY1", team: String = "TEAMTEAM01", topics: [String]? = nil,
        environment: APNsEnvironment? = nil, related: String? = nil, revokedAt: WallTime? = nil
    ) -> EndpointKey {
        EndpointKey(
            id: id, team: team, publicPoint: [4], topics: topics, environment: environment, relatedKey: related,
            revokedAt: revokedAt)
    }

    static func certificate(
        listed: [String] = ["com.example.phone", "com.example.phone.voip"],
        environments: Set<APNsEnvironment> = [.production]
    ) -> PushCertificate {
        PushCertificate(
            fingerprint: "f1", name: "Apple Push Services: com.example.phone", subjectTopic: "com.example.phone",
            listedTopics: listed, environments: environments, expiresAt: now + .seconds(86_400))
    }

    static func credentials(_ keys: [EndpointKey] = [key()]) -> EndpointCredentials {
        var credentials = EndpointCredentials()
        for key in keys { credentials.keys[key.id] = key }
        credentials.certificates["f1"] = certificate()
        return credentials
    }

    /// A bearer token of `key`, made so many seconds after ``now``; `edit` changes its parts.
    static func bearer(
        key: String = "KEYKEYKEY1", team: String = "TEAMTEAM01", madeAfter seconds: Int64 = 0,
        signature: [UInt8] = goodSignature
    ) -> String {
        bearer(
            header: #"{"alg":"ES256","kid":"\#(key)"}"#,
            claims: #"{"iss":"\#(team)","iat":\#(now.unixSecond + seconds)}"#,
            signature: signature)
    }

    static func bearer(header: String, claims: String, signature: [UInt8] = goodSignature) -> String {
        "bearer " + [Array(header.utf8), Array(claims.utf8), signature].map(base64URL).joined(separator: ".")
    }

    static func base64URL(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encodedForURL(bytes.span), as: UTF8.self)
    }

    var request: EndpointRequest {
        var request = EndpointRequest()
        let all = [(":method", method), (":path", path)] + (authorization.map { [("authorization", $0)] } ?? [])
        for (name, value) in all + headers { request.add(Array(name.utf8).span, Array(value.utf8).span) }
        return request
    }

    mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.0 == name }
        if let value { headers.append((name, value)) }
    }

    /// What becomes of it on a connection of its own.
    func judged() -> Result<EndpointPush, Refusal> {
        var connection = EndpointConnection(environment: environment, certificate: certificate)
        return judged(on: &connection)
    }

    func judged(on connection: inout EndpointConnection, after span: TimeSpan = .zero) -> Result<EndpointPush, Refusal>
    {
        var body = EndpointBody()
        body.append(payload.span)
        do throws(Refusal) {
            let push = try connection.accept(
                request, body: body,
                identifier: EndpointConnection.identifier(of: request) { "11111111-2222-4333-8444-AAAAAAAAAAAA" },
                at: EndpointMoment(wall: Self.now + span, instant: Instant(microseconds: 1 << 50) + span),
                credentials: credentials, isSigned: isSigned,
                standing: standing)
            return .success(push.push)
        } catch {
            return .failure(error)
        }
    }

    /// Why it is refused; nil if it is not.
    var reason: EndpointReason? {
        guard case .failure(let refusal) = judged() else { return nil }
        return refusal.reason
    }

    private func standing(_ token: DeviceToken) -> TokenStanding {
        guard token == Self.alertToken || token == Self.voipToken else { return .unknown }
        let registration = Registration(
            token: token, deviceID: "1", kind: token == Self.alertToken ? .alert : .voip,
            bundleID: bundleID, appGroup: nil, environment: .production)
        return isRemoved ? .removed(registration, at: Self.now, isReplaced: isReplaced) : .registered(registration)
    }
}
