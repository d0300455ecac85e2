import BelfryProtocol
import Glibc
import Testing

extension IntegrationTests {
    @Suite("R16: bad input") struct HostileInput {
        let phone: Phone

        init() throws { phone = try Phone(["BELFRY_RING_DURATION": "1s"]) }

        @Test(
            "is rejected with its reason",
            arguments: [
                ("", "Empty"), ("\n", "Empty"), ("hello\n", "NotJSON"), ("[1, 2]\n", "NotAnObject"), ("{}", "NoAps"),
                (#"{"aps": {}, "aps": {}}"#, "NotJSON"),
                (#"{"payload": {"aps": {}}, "appGroup": "../x"}"#, "BadAppGroup"),
                (#"{"aps": {}, "info": {"type": 1, "callId": "a\u0000b"}}"#, "BadField"),
                (
                    #"{"aps": {}, "x": "# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}",
                    "TooDeep"
                ),
                (#"{"aps": {"alert": ""# + String(repeating: "x", count: 4_096) + #""}}"#, "PayloadTooLarge"),
                (#"{"aps": {"badge": NaN}}"#, "NotJSON"),
            ])
        func rejected(input: String, reason: String) throws {
            let client = try Client(socket: phone.socket, sending: Array(input.utf8), thenShutdown: true)
            #expect(client.story() == ["rejected \(reason)"])
        }

        @Test("that is no UTF-8") func notUTF8() throws {
            let client = try Client(
                socket: phone.socket, sending: Array(#"{"aps": {"alert": ""#.utf8) + [0xFF, 0x22, 0x7D, 0x7D])
            #expect(client.story() == ["rejected NotUTF8"])
        }

        @Test("of a mebibyte: the client can finish writing and read why") func mebibyte() throws {
            let client = try Client(socket: phone.socket, sending: [])
            let flood = Array(("{\"aps\": \"" + String(repeating: "x", count: 1 << 20)).utf8)
            #expect(client.send(flood) == flood.count)
            #expect(client.story() == ["rejected PayloadTooLarge"])
        }

        @Test("that never ends is given up after 5 s") func unfinished() throws {
            let client = try Client(socket: phone.socket, sending: Array("{\"aps\":".utf8))
            #expect(client.story() == ["rejected Incomplete"])
            #expect((client.events.first?.at ?? 9) < 4)
        }

        @Test("never disturbs another call") func undisturbed() throws {
            let call = try phone.call("A", #""duration": 1"#)
            for _ in 0..<20 { _ = try phone.push("nonsense\n") }
            #expect(call.story().suffix(2) == ["ended timeout", "missed"])
        }

        @Test("ids of 128 bytes ring, of 129 are refused, and two spellings of é are two calls") func ids() throws {
            let longest = String(repeating: "x", count: 128)
            #expect(try phone.call(longest).story().contains("ringing loud"))
            #expect(try phone.call(longest + "x").story() == ["rejected BadField"])
            let (composed, decomposed) = (try phone.call("\u{E9}"), try phone.call("e\u{301}"))
            #expect(composed.story().contains { $0.hasPrefix("ringing") })
            #expect(decomposed.story().contains { $0.hasPrefix("ringing") })
        }

        @Test("numbers beyond all bounds", arguments: ["1e300", "-0", "9223372036854775808", "-1e300", "1e-300"])
        func numbers(number: String) throws {
            let fields = ["sentAt", "duration", "hasVideo", "handle"].map { "\"\($0)\": \(number)" }
            let story = try phone.call("N\(number)", fields.joined(separator: ", ")).story()
            #expect(story.first == "received call-request")
            #expect(story.contains { $0.hasPrefix("delivered") })
            let badge = #"{"aps": {"alert": "x", "badge": \#(number), "relevance-score": \#(number)}}"#
            #expect(try phone.push(badge).story().last == "delivered passthrough")
        }
    }
}
