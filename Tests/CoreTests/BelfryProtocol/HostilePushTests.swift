import BelfryJSON
import BelfryProtocol
import BelfryTerms
import Support
import Testing

@Suite struct HostilePushTests {
    private static let samples = [
        #"""
        {"aps":{"alert":{"title":"T","loc-key":"%1$@ %@ %%","loc-args":["a",5]},"badge":3,"mutable-content":1,
         "sound":{"critical":1,"name":"a","volume":0.5},"interruption-level":"critical","relevance-score":0.5},
         "info":{"type":1,"callId":"\u00e9","callerName":"Ada","phone":4930,"hasVideo":true,"duration":25,
         "callerAvatar":"https://example.com/a.png","sentAt":1795190000}}
        """#,
        #"""
        {"payload":{"call_id":9223372036854775808,"type":"hangup","reason":"busy"},"pushType":"voip","id":
         "01234567-89ab-4cde-8f01-23456789abcd","expiration":0,"sentAt":1e9,"appGroup":"group.a","collapseId":"c"}
        """#,
        #"""
        {"payload":{"uuid":"c","stream":{"call_cid":"a:b","type":"call.ring","video":true,"created_by_id":5},"twi_from":"x",
         "sendbird_call":{"command":{"type":"dial","payload":{"call_id":"d","caller":{"nickname":"A"}}}}},"pushType":"voip"}
        """#,
    ]

    /// The names of all known servers.
    private static let everyName = CallPayload.allCases.reduce(CallNames()) { $0.followed(by: $1.names) }

    @Test(arguments: samples)
    func R18_nothingInAPushTraps(sample: String) {
        var generator = SeededRandom(seed: 6)
        var readCount = 0
        for _ in 0..<10_000 {
            let bytes = generator.mutated(Array(sample.utf8))
            var framing = PushFraming()
            guard
                case .complete(let framed) = framing.feed(bytes) == .needMore ? framing.endOfInput() : framing.feed([])
            else { continue }
            guard let push = try? Push.parse(framed, names: { _ in Self.everyName }) else { continue }
            readCount += 1
            // What was read can be sent on, and is the same call.
            guard case .request(let request)? = push.call else { continue }
            let again = try? Push.parse(request.payload().serialized())
            if again?.call?.callID.utf8.elementsEqual(request.callID.utf8) != true {
                Issue.record("\(String(decoding: bytes, as: UTF8.self))")
            }
        }
        // Mutations that leave the push readable must occur, or this would test errors alone.
        #expect(readCount > 100)
    }
}
