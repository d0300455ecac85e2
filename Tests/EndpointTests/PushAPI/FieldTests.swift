import BelfryDevices
import BelfryTerms
import Testing

@testable import PushAPI

/// One header after the other (the reference's second section), by itself.
@Suite struct FieldTests {
    private func reason(_ change: (inout Sample) -> Void) -> EndpointReason? {
        var sample = Sample()
        change(&sample)
        return sample.reason
    }

    @Test("a request that is in order is a push with all that it says")
    func accepted() throws {
        var sample = Sample()
        let id = "AAAAAAAA-bbbb-cccc-DDDD-eeeeeeeeeeee"
        sample.headers += [
            ("apns-id", id), ("apns-push-type", "alert"), ("apns-expiration", "1790000100"), ("apns-priority", "5"),
            ("apns-collapse-id", "c"), ("content-type", "x"),
        ]
        let push = try sample.judged().get()
        #expect(push.apnsID == id && push.token == Sample.alertToken && push.topic == "com.example.phone")
        #expect(push.pushType == .alert && push.priority == .considerate && push.collapseID == "c")
        #expect(push.expiration?.unixSecond == 1_790_000_100 && push.payload == sample.payload)
        #expect(push.acceptedAt == Sample.now)
    }

    @Test("what is not stated has Apple's default")
    func defaults() throws {
        let push = try Sample().judged().get()
        #expect(push.priority == .immediate && push.expiration == nil && push.collapseID == nil)
        #expect(push.apnsID == "11111111-2222-4333-8444-AAAAAAAAAAAA", "made here")
    }

    @Test("method and path")
    func methodAndPath() {
        for method in ["GET", "PUT", "post", "OPTIONS"] {
            #expect(reason { $0.method = method } == .methodNotAllowed)
        }
        for path in ["/", "/3", "/3/devices/ab", "/2/device/ab", "/3/device/ab/cd", "/1/apps/x/channels", "", "*"] {
            #expect(reason { $0.path = path } == .badPath, "\(path)")
        }
        for path in ["/3/device/", "/3/device"] { #expect(reason { $0.path = path } == .missingDeviceToken) }
    }

    @Test(
        "an apns-id is a UUID of any case",
        arguments: [
            ("", true), ("1-1-1-1-1", true), ("aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", false),
            ("AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE", false), ("aaaaaaaabbbb-cccc-dddd-eeeeeeeeeeeee", true),
            ("gaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", true), ("aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeeeé", true),
        ])
    func identifiers(_ text: String, isBad: Bool) {
        #expect(reason { $0.set("apns-id", text) } == (isBad ? .badMessageID : nil))
    }

    @Test("an apns-id is echoed byte for byte, also where it is none")
    func echoes() {
        for text in ["aAaAaAaA-bbbb-cccc-dddd-eeeeeeeeeeee", "x y", "\u{E9}"] {
            var sample = Sample()
            sample.set("apns-id", text)
            #expect(EndpointConnection.identifier(of: sample.request) { "new" } == text)
        }
        func x(_ count: Int) -> String { String(repeating: "x", count: count) }
        for (text, echo) in [(x(64), x(64)), (x(65), x(64)), (x(63) + "é", x(63))] {
            var sample = Sample()
            sample.set("apns-id", text)
            #expect(EndpointConnection.identifier(of: sample.request) { "new" } == echo)
        }
        var request = EndpointRequest()
        request.add(Array("apns-id".utf8).span, [0xFF].span)
        #expect(EndpointConnection.identifier(of: request) { "new" } == "new", "no UTF-8")
    }

    @Test(
        "an expiration is whole seconds",
        arguments: [
            ("0", false), ("1790000000", false), ("9223372036854775807", false), ("1", false), ("", true), ("-1", true),
            ("+1", true), ("1.5", true), ("soon", true), ("9223372036854775808", true), (" 1", true), ("1e9", true),
        ])
    func expirations(_ text: String, isBad: Bool) {
        #expect(reason { $0.set("apns-expiration", text) } == (isBad ? .badExpirationDate : nil))
    }

    @Test("an expiration that is past is accepted, and 0 is 1970 itself")
    func pastExpirations() throws {
        var sample = Sample()
        sample.set("apns-expiration", "0")
        #expect(try sample.judged().get().expiration == WallTime(microseconds: 0))
    }

    @Test(
        "a priority is 10, 5 or 1",
        arguments: [("10", false), ("5", false), ("1", false), ("", true), ("2", true), ("010", true), ("high", true)])
    func priorities(_ text: String, isBad: Bool) {
        #expect(reason { $0.set("apns-priority", text) } == (isBad ? .badPriority : nil))
    }

    @Test(
        "some kinds of push have priorities of their own",
        arguments: [
            ("background", "", "10", false), ("background", "", "1", true), ("background", "", "5", false),
            ("location", ".location-query", "1", true), ("location", ".location-query", "10", false),
            ("liveactivity", ".push-type.liveactivity", "1", true),
            ("liveactivity", ".push-type.liveactivity", "5", false),
            ("pushtotalk", ".voip-ptt", "5", true), ("pushtotalk", ".voip-ptt", "10", false),
            ("complication", ".complication", "1", false), ("widgets", ".push-type.widgets", "1", false),
        ])
    func prioritiesOfKinds(_ type: String, suffix: String, priority: String, isBad: Bool) {
        let found = reason {
            $0.set("apns-push-type", type)
            $0.set("apns-priority", priority)
            $0.set("apns-topic", "com.example.phone" + suffix)
        }
        #expect(found == (isBad ? .badPriority : nil))
    }

    @Test("a background push without priority has the one it may have")
    func backgroundPriority() throws {
        var sample = Sample()
        sample.set("apns-push-type", "background")
        #expect(try sample.judged().get().priority == .considerate)
    }

    @Test(
        "a push type is one of Apple's, by its very letters",
        arguments: ["", "Alert", "call", "alert ", "voip2"])
    func pushTypes(_ text: String) {
        #expect(reason { $0.set("apns-push-type", text) } == .invalidPushType)
    }

    @Test("a collapse identifier has 64 bytes at most")
    func collapseIdentifiers() {
        #expect(reason { $0.set("apns-collapse-id", String(repeating: "a", count: 64)) } == nil)
        #expect(reason { $0.set("apns-collapse-id", String(repeating: "a", count: 65)) } == .badCollapseID)
        #expect(reason { $0.set("apns-collapse-id", String(repeating: "é", count: 33)) } == .badCollapseID)
    }

    @Test("one of ours that is there twice")
    func duplicates() {
        for header in EndpointRequest.Header.allCases {
            var sample = Sample()
            sample.headers += [(header.name.description, "1"), (header.name.description, "1")]
            #expect(sample.reason == .duplicateHeaders, "\(header)")
        }
        #expect(reason { $0.headers += [("accept", "a"), ("accept", "b")] } == nil)
    }

    @Test("a worker could not read a byte order mark, or 32 levels in one more: they are refused, and the log says so")
    func unreadable() {
        func detail(_ text: String) -> String? {
            var sample = Sample()
            sample.payload = Array(text.utf8)
            guard case .failure(let refusal) = sample.judged(), refusal.reason == .payloadEmpty else { return nil }
            return refusal.detail
        }
        func deep(_ depth: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
        }
        #expect(detail("\u{FEFF}{}")?.contains("byte order mark") == true)
        #expect(detail(deep(31)) == nil && detail(deep(32))?.contains("beyond what is read") == true)
    }

    @Test("payloads: none, no object, too large by their bytes as they came")
    func payloads() {
        for text in ["", "[]", "1", "{", "{}x", "null", "\u{1F8B}"] {
            #expect(reason { $0.payload = Array(text.utf8) } == .payloadEmpty, "\(text)")
        }
        func padded(_ count: Int) -> [UInt8] {
            Array("{\"aps\":{}".utf8) + [UInt8](repeating: 0x20, count: count - 10) + Array("}".utf8)
        }
        #expect(padded(4_096).count == 4_096)
        #expect(reason { $0.payload = padded(4_096) } == nil)
        #expect(reason { $0.payload = padded(4_097) } == .payloadTooLarge)
        func call(_ count: Int) -> EndpointReason? {
            reason {
                $0.payload = padded(count)
                $0.path = "/3/device/" + String(repeating: "CD", count: 32)
                $0.set("apns-topic", "com.example.phone.voip")
            }
        }
        #expect(call(5_120) == nil && call(5_121) == .payloadTooLarge && call(100_000) == .payloadTooLarge)
    }

    @Test("a body keeps no more than it takes to see that it is too large")
    func bodies() {
        var body = EndpointBody()
        for _ in 0..<10 { body.append([UInt8](repeating: 0, count: 1_000).span) }
        #expect(body.bytes.count == 5_121)
    }

    @Test("device tokens: hexadecimal of either case, issued here, for this environment, in use")
    func deviceTokens() {
        for text in ["zz", "ab", "abc", String(repeating: "ab", count: 31), String(repeating: "ef", count: 32)] {
            #expect(reason { $0.path = "/3/device/" + text } == .badDeviceToken, "\(text)")
        }
        #expect(reason { $0.path = "/3/device/" + String(repeating: "Ab", count: 32) } == nil)
        #expect(reason { $0.environment = .development } == .badDeviceToken)
        var sample = Sample()
        sample.isRemoved = true
        #expect(
            sample.judged() == .failure(Refusal(.unregistered, "", timestampMilliseconds: 1_790_000_000_000)))
        sample.environment = .development
        #expect(sample.reason == .badDeviceToken, "of the other environment it was never one")
    }
}
