import BelfryEventLoop
import BelfryJSON
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import Glibc
import HTTP2Server
import PushAPI
import PushEndpoint
import Support
import Testing

/// Frames made by hand (Tests/Servers/apns-client.py): what is allowed, and what is not.
@Suite struct FrameTests {
    @Test(
        "whatever is allowed is served",
        arguments: [
            "ordinary", "no-alpn", "empty-last-data", "padding", "continuation", "trailers", "one-byte-at-a-time",
            "priority", "ping", "blank-at-end",
        ])
    func allowed(_ scenario: String) throws {
        let bench = try EndpointBench()
        let said = try bench.play(scenario)
        #expect(said["status"] == 200 && said["body"] == "" && said["dataFrames"] == 0, "\(said)")
        #expect(bench.pushes.count == 1)
    }

    @Test("a value that begins with a blank is none, and resets its request alone")
    func blankAtBeginning() throws {
        let bench = try EndpointBench()
        let said = try bench.play("blank-at-beginning")
        // PROTOCOL_ERROR.
        #expect(said["reset"] == 1 && said["status"] == nil && said["then"] == 200, "\(said)")
        #expect(bench.pushes.count == 1)
    }

    @Test("the first SETTINGS are those that were seen of Apple")
    func settings() throws {
        let said = try EndpointBench().play("ordinary")
        #expect(said["settings"]?.objectValue?["1"] == 4_096)
        #expect(said["settings"]?.objectValue?["3"] == 1_000)
        #expect(said["settings"]?.objectValue?["6"] == 8_000)
    }

    @Test("a refusal is one DATA frame")
    func refused() throws {
        let said = try EndpointBench().play("refused")
        #expect(said["status"] == 400 && said["dataFrames"] == 1 && said["body"] == #"{"reason":"BadDeviceToken"}"#)
    }

    @Test("a client without room gets headers first and the body when there is room")
    func windows() throws {
        let said = try EndpointBench().play("window-zero")
        #expect(said["before"] == "" && said["body"] == #"{"reason":"BadDeviceToken"}"#, "\(said)")
        let many = try EndpointBench().play("window-zero-for-ever")
        #expect(many["answers"] == 1_000 && many["other"] == 200, "\(many)")
    }

    @Test("a stranger who reads no answer is ended when too much waits for him, be it what he sent himself")
    func unread() throws {
        let said = try EndpointBench { $0.heldBytesMax = 256 << 10 }.play("unread-answers")
        #expect(said["closed"] == true && said["other"] == 200, "\(said)")
        // What was refused on another connection buys him nothing.
        let refused = try EndpointBench { $0.heldBytesMax = 256 << 10 }.play(
            "unread-answers", environment: ["REFUSED": "300"])
        #expect(refused["closed"] == true && refused["other"] == 200, "\(refused)")
        // More than a thousand answers are counted as, but not if the 64 bytes that each echoes are counted too.
        let echoed = try EndpointBench { $0.heldBytesMax = 1_056_000 }.play(
            "unread-answers", environment: ["IDENTIFIER": "7000"])
        #expect(echoed["closed"] == true && echoed["other"] == 200, "\(echoed)")
    }

    @Test("of a connection that is gone as it is told to end nothing stays behind")
    func garbageAndGone() throws {
        let bench = try EndpointBench { $0.endTime = .milliseconds(200) }
        #expect(try bench.play("garbage-and-gone")["other"] == 200)
        #expect(bench.endpoint.connectionCount <= 1)
    }

    @Test("a client that says goodbye is answered what it asked")
    func clientGoAway() throws {
        let said = try EndpointBench().play("client-goaway")
        #expect(said["status"] == 200 && said["closed"] == true, "\(said)")
    }

    @Test("clients that are sent away hear why, and are served anew")
    func sentAway() throws {
        let bench = try EndpointBench()
        let said = try bench.play("reconnect") { bench.endpoint.sendAway(.shutdown) }
        #expect(said["status"] == 200 && said["closed"] == true && said["other"] == 200, "\(said)")
        #expect(said["goaway"]?.objectValue?["data"] == #"{"reason":"Shutdown"}"#, "\(said)")
        #expect(said["goaway"]?.objectValue?["last"] == 1 && said["goaway"]?.objectValue?["code"] == 0)
    }

    @Test(
        "what is under way when the first GOAWAY goes out is answered, unless it is a hard one",
        arguments: [false, true])
    func inFlight(_ isHard: Bool) throws {
        let bench = try EndpointBench()
        let said = try bench.play("in-flight") { bench.endpoint.sendAway(.shutdown, isHard: isHard) }
        #expect(said["closed"] == true && said["status"] == (isHard ? .null : 200), "\(said)")
        // The notice (RFC 9113 section 6.8), and the stream that was the last.
        #expect(said["last"] == [.integer(Int64(Int32.max)), .integer(isHard ? 1 : 3)], "\(said)")
        #expect(said["goaway"]?.objectValue?["data"] == #"{"reason":"Shutdown"}"#, "\(said)")
    }

    @Test("keys that are changed again and again end their connection")
    func keyUpdates() throws {
        let bench = try EndpointBench()
        let few = try bench.play("key-updates", environment: ["COUNT": "10"])
        #expect(few["isOpen"] == true && few["other"] == 200, "\(few)")
        let many = try bench.play("key-updates", environment: ["COUNT": "300"])
        #expect(many["isOpen"] == false && many["other"] == 200, "\(many)")
    }

    @Test("a first message of more than 16 KiB ends its handshake")
    func longHello() throws {
        let bench = try EndpointBench()
        for (names, isServed) in [("55", true), ("70", false)] {
            let said = try bench.play("long-hello", environment: ["NAMES": names])
            #expect(said["isServed"] == .bool(isServed) && said["other"] == 200, "\(names): \(said)")
        }
    }

    @Test("a chain of certificates of more than 16 KiB ends its handshake, which is said")
    func longChain() throws {
        let bench = try EndpointBench()
        for (kibibytes, status) in [("14", 200), ("18", nil)] as [(String, JSONValue?)] {
            let said = try bench.play(
                "chain", environment: ["CERTIFICATE": bench.minted.certificatePath, "KIB": kibibytes])
            #expect(said["status"] ?? .null == status ?? .null && said["other"] == 200, "\(kibibytes): \(said)")
        }
        #expect(bench.ends.map(\.detail) == ["the handshake failed: excessive message size"])
    }

    @Test("one connection too many of a credential takes the place of that which was silent for longest")
    func shares() throws {
        let idle: JSONValue = .string(#"{"reason":"IdleTimeout"}"#)
        let changes: [(inout HTTP2Limits) -> Void] = [{ $0.sharesMax = 2 }, { $0.connectionsMax = 2 }]
        for change in changes {
            let said = try EndpointBench(change).play("places", environment: ["COUNT": "3"])
            #expect(said["closed"] == [true, false, false] && said["reasons"] == [idle, .null, .null], "\(said)")
        }
    }

    @Test("an endpoint that stops answers what it has, sends its clients away, and is done")
    func stops() throws {
        let bench = try EndpointBench()
        var isStopped = false
        let said = try bench.play("client-goaway") { isStopped = false }
        #expect(said["status"] == 200)
        bench.endpoint.stop { [loop = bench.loop] in
            isStopped = true
            loop.stop()
        }
        bench.loop.run()
        #expect(isStopped && bench.endpoint.connectionCount == 0)
    }

    @Test("one stream until a credential is good, if the operator wants it so")
    func firstStreams() throws {
        let waiting = try EndpointBench { $0.firstStreams = 1 }.play("first-streams-waiting")
        #expect(waiting["first"] == 1 && waiting["then"] == 1_000 && waiting["answers"] == 51, "\(waiting)")
        #expect(waiting["resets"] == 0)
        let eager = try EndpointBench { $0.firstStreams = 1 }.play("first-streams-at-once")
        // REFUSED_STREAM: it was not looked at, and may be sent again.
        #expect(eager["codes"] == [7] && eager["first"] == 200 && eager["status"] == 200, "\(eager)")
    }

    @Test("floods end their own connection, and nobody else's requests")
    func floods() throws {
        let bench = try EndpointBench()
        for scenario in ["rapid-reset", "malformed", "continuation-flood", "settings-flood", "settings-large"] {
            let said = try bench.play(scenario)
            #expect(said["closed"] == true && said["other"] == 200, "\(scenario): \(said)")
        }
        for scenario in ["ping-flood", "never-reads"] {
            #expect(try bench.play(scenario)["other"] == 200, "\(scenario)")
        }
        #expect(bench.warnings.isEmpty)
    }

    @Test("headers that are too many or too long end their request, and it alone")
    func headers() throws {
        let bench = try EndpointBench()
        let many = try bench.play("many-headers")
        // ENHANCE_YOUR_CALM.
        #expect(many["first"] == 11 && many["then"] == 200 && many["third"] == 11, "\(many)")
        #expect(try bench.play("headers-120k")["other"] == 200)
        for scenario in ["hpack-bomb", "two-continuations"] {
            let said = try bench.play(scenario)
            #expect(said["closed"] == true && said["answers"] == 0 && said["other"] == 200, "\(scenario): \(said)")
            #expect(said["goaway"]?.objectValue?["code"] == 11, "\(scenario): \(said)")
        }
    }

    @Test("whoever is slow is not waited for")
    func slow() throws {
        let bench = try EndpointBench {
            $0.requestTime = .milliseconds(500)
            $0.handshakeTime = .milliseconds(500)
        }
        let unfinished = try bench.play("never-finished")
        // CANCEL.
        #expect(unfinished["resets"] == 1_000 && unfinished["codes"] == [8], "\(unfinished)")
        #expect(unfinished["other"] == 200)
        let body = try bench.play("slow-body")
        #expect(body["code"] == 8 && body["other"] == 200, "\(body)")
        let handshake = try bench.play("slow-handshake")
        #expect(handshake["ended"] == true && handshake["silent"] == true && handshake["other"] == 200, "\(handshake)")
    }

    @Test("a client that has done nothing for long is told so and sent away, and waited for only so long")
    func idle() throws {
        let bench = try EndpointBench {
            $0.idleTime = .milliseconds(500)
            $0.endTime = .milliseconds(500)
        }
        let said = try bench.play("idle")
        #expect(said["status"] == 200 && said["closed"] == true, "\(said)")
        #expect(said["goaway"]?.objectValue?["data"] == #"{"reason":"IdleTimeout"}"#, "\(said)")
        let staying = try bench.play("idle-with-a-request")
        #expect(staying["goaway"]?.objectValue?["data"] == #"{"reason":"IdleTimeout"}"#, "\(staying)")
        #expect(staying["closed"] == true && bench.endpoint.connectionCount == 0, "\(staying)")
    }

    @Test("a client that reads nothing of what waits for it is ended, and nobody else")
    func stalled() throws {
        let bench = try EndpointBench(sendBufferBytes: 4_096) { $0.stallTime = .milliseconds(500) }
        let said = try bench.play("stalled")
        #expect(said["ended"] == true && said["other"] == 200, "\(said)")
    }

    @Test("a body of ten megabytes is answered before its end, and stopped")
    func largeBody() throws {
        let said = try EndpointBench().play("large-body")
        #expect(said["status"] == 413 && said["body"] == #"{"reason":"PayloadTooLarge"}"#, "\(said)")
        #expect(said["reset"] == 0 && said["then"] == 200, "\(said)")
    }

    @Test("what is not HTTP/2 over TLS is closed")
    func otherProtocols() throws {
        let bench = try EndpointBench()
        for scenario in ["http1", "plain-http", "random-bytes"] {
            let said = try bench.play(scenario)
            #expect(said["closed"] == true && said["other"] == 200, "\(scenario): \(said)")
        }
        let alert = try bench.play("alpn-http1")["alert"]?.stringValue ?? ""
        #expect(alert.contains("no application protocol"), "\(alert)")
    }

    @Test("a connection that ends says so in TLS, so that nobody takes what came for cut off")
    func closeNotify() throws {
        let bench = try EndpointBench()
        let client = "printf 'no HTTP/2 at all' | openssl s_client -ign_eof -connect 127.0.0.1:\(bench.port) 2>&1"
        let said = try bench.run("/bin/sh", ["-c", client])
        #expect(said.hasSuffix("closed\n"), "\(said)")
    }

    @Test("what a client sends on and on after the end is not passed over for ever")
    func endless() throws {
        let bench = try EndpointBench()
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let client = OwnedDescriptor(owning: try checked("socket") { socket(AF_INET, kind, 0) })
        let number = client.number
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = bench.port.bigEndian
        try unsafe withUnsafePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                let size = socklen_t(MemoryLayout<sockaddr_in>.size)
                _ = try checked("connect") { unsafe connect(number, generic, size) }
            }
        }
        // No handshake begins so, and the sockets themselves hold less than it is sent.
        let chunk = [UInt8](repeating: 0x78, count: 64 << 10)
        let bytesMax = 32 << 20
        var sentBytes = 0
        while sentBytes < bytesMax {
            let count = unsafe send(number, chunk, chunk.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            if count < 0, errno != EAGAIN { break }
            sentBytes += max(count, 0)
            bench.loop.runUntilIdle()
        }
        #expect(sentBytes < bytesMax && bench.endpoint.connectionCount == 0)
    }

    @Test("connections that say nothing give way to those who come")
    func manyConnections() throws {
        let changes: [(inout HTTP2Limits) -> Void] = [
            { $0.connectionsMax = 100 }, { $0.strangersMax = 100 }, { $0.strangersBytesMax = 100 * (8 << 10) },
        ]
        for change in changes {
            let bench = try EndpointBench(change)
            let said = try bench.play("crowd", environment: ["COUNT": "300"])
            #expect(said["held"] == 300 && said["before"] == 200 && said["between"] == [200], "\(said)")
        }
    }
}
