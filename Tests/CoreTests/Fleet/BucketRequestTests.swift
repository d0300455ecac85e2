import BelfryDevices
import BelfryJSON
import BelfryTerms
import Fleet
import Testing

/// What a gateway asks JetStream, what it hears as an answer, and what a watch says.
@Suite struct BucketRequestTests {
    private let key = DeviceKey(FleetName("door")!, "0a1b2c3d-0000-4000-8000-000000000001")!

    /// A message as a broker hands it on.
    private func said(_ subject: String, reply: String? = nil, _ block: String = "", _ text: String = "")
        -> LineMessage?
    {
        var reader = BrokerWordReader()
        let words = [block.isEmpty ? "MSG" : "HMSG", subject, "1"] + (reply.map { [$0] } ?? [])
        let sizes = block.isEmpty ? "\(text.utf8.count)" : "\(block.utf8.count) \(block.utf8.count + text.utf8.count)"
        reader.hear(Array("\(words.joined(separator: " ")) \(sizes)\r\n\(block)\(text)\r\n".utf8))
        guard case .message(let message)? = try? reader.next() else { return nil }
        return message
    }

    private func answer(_ text: String) throws -> BucketAnswer {
        BucketAnswer(try #require(said("_INBOX.gate.1", "", text)))
    }

    @Test("each request is one that a gateway's credential allows")
    func requests() throws {
        let watch = BucketRequest.watch(name: "gate-1", after: 7, to: "_INBOX.gate.w", heartbeat: .seconds(2))
        #expect(BucketRequest.information.subject == "$JS.API.STREAM.INFO.KV_belfry-devices")
        #expect(watch.subject == "$JS.API.CONSUMER.CREATE.KV_belfry-devices.gate-1" && watch.headers.isEmpty)
        #expect(BucketRequest.endWatch(name: "gate-1").subject == "$JS.API.CONSUMER.DELETE.KV_belfry-devices.gate-1")
        let asked = try #require(try JSONValue.parse(watch.bytes).objectValue)
        let configuration = try #require(asked["config"]?.objectValue)
        #expect(asked["stream_name"] == "KV_belfry-devices" && configuration["opt_start_seq"] == 8)
        #expect(configuration["idle_heartbeat"] == 2_000_000_000 && configuration["deliver_subject"] == "_INBOX.gate.w")
        #expect(configuration["ack_policy"] == "none" && configuration["flow_control"] == true)
        let last = BucketRequest.watch(name: "a", after: .max, to: "b", heartbeat: .seconds(2))
        #expect(String(decoding: last.bytes, as: UTF8.self).contains("\"opt_start_seq\":9223372036854775807"))
        let put = BucketRequest.put(.device(key), [1, 2], over: 3)
        #expect(put.subject == "$KV.belfry-devices.\(key.text)" && put.bytes == [1, 2])
        #expect(put.headers.map(\.name) == ["Nats-Expected-Last-Subject-Sequence"] && put.headers[0].value == "3")
        #expect(BucketRequest.put(.fence(FleetName("gate")!), [], over: nil).headers.isEmpty)
    }

    @Test("what JetStream answers is read, and whatever else comes is a failure with its words")
    func answers() throws {
        #expect(try answer(#"{"stream":"KV_belfry-devices","seq":12}"#) == .written(12))
        let other = #"{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 4"},"seq":0}"#
        #expect(try answer(other) == .isAnother)
        let missing = #"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#
        #expect(try answer(missing) == .failed("stream not found"))
        let found = #"{"created":"2026-11-28T21:39:43.2Z","state":{"messages":3,"last_seq":9},"config":{}}"#
        #expect(
            try answer(found)
                == .bucket(
                    identity: "2026-11-28T21:39:43.2Z", last: 9, copies: BucketCopies(count: 1, missingCount: 0)))
        let three = #"""
            {"created":"a","state":{"last_seq":9},"config":{"num_replicas":3},"cluster":{"leader":"b","replicas":[
            {"name":"c","current":true},{"name":"d","current":false,"offline":true}]}}
            """#
        #expect(
            try answer(three.filter { $0 != "\n" })
                == .bucket(identity: "a", last: 9, copies: BucketCopies(count: 3, missingCount: 1)))
        #expect([1, 2, 3, 5].map { BucketCopies.wanted(brokers: $0) } == [1, 1, 3, 3])
        #expect(try answer(#"{"stream_name":"KV_belfry-devices","name":"gate-1","config":{}}"#) == .watching)
        for text in ["", "[]", "{}", #"{"seq":0}"#, #"{"state":{},"created":"a"}"#, #"{"error":1}"#] {
            guard case .failed = try answer(text) else {
                Issue.record("\(text) is an answer")
                continue
            }
        }
        let nobody = try #require(said("_INBOX.gate.1", "NATS/1.0 503\r\n\r\n"))
        #expect(BucketAnswer(nobody) == .failed("no broker has the bucket of devices"))
        let late = try #require(said("_INBOX.gate.1", "NATS/1.0 408\r\n\r\n"))
        #expect(BucketAnswer(late) == .failed("a broker answers 408"))
    }

    @Test("a watch's delivery has its numbers, from brokers of either kind; a deleted key has no value")
    func deliveries() throws {
        let subject = "$KV.belfry-devices.\(key.text)"
        for reply in [
            "$JS.ACK.KV_belfry-devices.gate-1.1.41.7.1795902051408968769.0",
            "$JS.ACK._.hash.KV_belfry-devices.gate-1.1.41.7.1795902051408968769.0",
            "$JS.ACK._.hash.KV_belfry-devices.gate-1.1.41.7.1795902051408968769.0.a",
        ] {
            let delivery = MirrorStateMachine.Delivery(place: 7, sequence: 41, key: key.text, value: Array("{}".utf8))
            let message = try #require(said(subject, reply: reply, "", "{}"))
            #expect(BucketWord(message) == .delivery(delivery, watch: "gate-1"))
        }
        let gone = try #require(
            said(
                subject, reply: "$JS.ACK.KV_belfry-devices.gate-1.1.42.8.1.0", "NATS/1.0\r\nKV-Operation: DEL\r\n\r\n"))
        #expect(
            BucketWord(gone)
                == .delivery(
                    MirrorStateMachine.Delivery(place: 8, sequence: 42, key: key.text, value: nil), watch: "gate-1"))
        for reply in [
            nil, "a", "$JS.ACK.KV_other.gate-1.1.41.7.1.0", "$JS.ACK.KV_belfry-devices.gate-1.1.0.7.1.0",
            "$JS.ACK.KV_belfry-devices.gate-1.1.41.0.1.0", "$JS.ACK.KV_belfry-devices.gate-1.1.41",
            "$JS.ACK._.hash.KV_belfry-devices.gate-1.1.41.7",
        ] {
            #expect(BucketWord(try #require(said(subject, reply: reply))) == nil, "\(reply ?? "")")
        }
    }

    @Test("a watch says that it goes on, and that it waits")
    func words() throws {
        let block = "NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 7\r\nNats-Last-Stream: 41\r\n"
        let idle = try #require(said("_INBOX.gate.w", "\(block)\r\n"))
        #expect(BucketWord(idle) == .idle(delivered: 7, sequence: 41, to: "_INBOX.gate.w", answer: nil))
        let stalled = try #require(said("_INBOX.gate.w", "\(block)Nats-Consumer-Stalled: $JS.FC.a.b\r\n\r\n"))
        #expect(BucketWord(stalled) == .idle(delivered: 7, sequence: 41, to: "_INBOX.gate.w", answer: "$JS.FC.a.b"))
        let waits = try #require(said("_INBOX.gate.w", reply: "$JS.FC.a.b", "NATS/1.0 100 FlowControl Request\r\n\r\n"))
        #expect(BucketWord(waits) == .waits(answer: "$JS.FC.a.b"))
        #expect(BucketWord(try #require(said("_INBOX.gate.w", "NATS/1.0 100 Idle Heartbeat\r\n\r\n"))) == nil)
        #expect(BucketWord(try #require(said("_INBOX.gate.w", "NATS/1.0 503\r\n\r\n"))) == nil)
    }
}
