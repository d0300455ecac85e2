import Fleet
import Testing

/// What a broker says, as it is read; and what is said to it.
@Suite struct BrokerWordTests {
    /// What `pieces` say, one text a word; the last is `!` if something is no word.
    private static func told(_ pieces: [[UInt8]]) -> [String] {
        var reader = BrokerWordReader()
        var told: [String] = []
        for piece in pieces {
            reader.hear(piece)
            do throws(BrokerWordError) {
                while let word = try reader.next() { told.append(text(of: word)) }
            } catch { return told + ["!"] }
        }
        return told + (reader.isAtEnd ? [] : ["…"])
    }

    private static func told(_ text: String) -> [String] { told([Array(text.utf8)]) }

    private static func text(of word: BrokerWord) -> String {
        switch word {
        case .info(let info): "info \(info.serverID) \(info.nonce ?? "-") \(info.messageBytesMax) \(info.wantsTLS)"
        case .message(let message): text(of: message)
        case .ping: "ping"
        case .pong: "pong"
        case .okay: "okay"
        case .complaint(let words): "complaint \(words)"
        }
    }

    private static func text(of message: LineMessage) -> String {
        let kind =
            switch message.kind {
            case .published: "message"
            case .noResponders: "nobody"
            case .status(let status): "status \(status)"
            }
        let headers = message.headers.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let bytes = String(decoding: message.bytes, as: UTF8.self)
        return "\(kind) \(message.subject) \(message.reply ?? "-")\(headers) [\(bytes)]"
    }

    private static let words: [(text: String, told: [String])] = [
        ("PING\r\nPONG\r\n+OK\r\n", ["ping", "pong", "okay"]),
        ("ping \t\r\n", ["ping"]),
        ("-ERR 'Authorization Violation'\r\n", ["complaint Authorization Violation"]),
        ("-ERR bare\r\n-ERR '\r\n-ERR\r\n", ["complaint bare", "complaint '", "complaint "]),
        (
            #"INFO {"server_id":"NA","max_payload":65536,"tls_required":true,"nonce":"n","new":[1]} "# + "\r\n",
            ["info NA n 65536 true"]
        ),
        (#"INFO {"server_id":"NB","max_payload":1}"# + "\r\n", ["info NB - 1 false"]),
        ("MSG a.b 1 2\r\nhi\r\n", ["message a.b - [hi]"]),
        ("MSG\ta  12\tc.d  0 \r\n\r\nPING\r\n", ["message a c.d []", "ping"]),
        ("MSG a 1 6\r\n\r\nPING\r\n", ["message a - [\r\nPING]"]),
        ("HMSG a 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", ["nobody a - []"]),
        ("HMSG a 1 16 17\r\nNATS/1.0 503\r\n\r\nx\r\n", ["status 503 a - [x]"]),
        ("HMSG a 1 21 21\r\nNATS/1.0 100 Idle\r\n\r\n\r\n", ["status 100 a - Description=Idle []"]),
        (
            "HMSG a 2 b 40 42\r\nNATS/1.0\r\nKind: a b \r\nKind:c\r\nOther:\r\n\r\nok\r\n",
            ["message a b Kind=a b Other= [ok]"]
        ),
        // What a client wrote there ends no other client's line.
        ("HMSG a 1 10 11\r\nNATS/9\n:b\nx\r\n", ["message a - [x]"]),
        ("HMSG a 1 21 21\r\nNATS/1.0 x y\r\n:b\r\nz\r\n\r\n", ["message a - []"]),
        ("HMSG a 1 0 1\r\nx\r\n", ["message a - [x]"]),
    ]

    @Test("each word is read as it was said, wherever it is cut", arguments: words)
    func read(_ text: String, _ told: [String]) {
        let bytes = Array(text.utf8)
        #expect(Self.told([bytes]) == told)
        for cut in 1..<bytes.count { #expect(Self.told([Array(bytes[..<cut]), Array(bytes[cut...])]) == told) }
        #expect(Self.told(bytes.map { [$0] }) == told)
        #expect(Self.told([bytes + bytes]) == told + told)
        #expect(Self.told([Array(bytes.dropLast())]).last == "…")
    }

    @Test(
        "what no broker says is an error, wherever it is cut, and what was said before it counts",
        arguments: [
            "\r\n", "\n", "PING\n", "-ERR x\n", "PING x\r\n", "PONG x\r\n", "+OK x\r\n",
            "PINGPONG\r\n", "HTTP/1.1 400\r\n",
            "INFO\r\n", "INFO []\r\n", "INFO {\r\n", "INFO {}\r\n", #"INFO {"server_id":"A"}"# + "\r\n",
            #"INFO {"server_id":1,"max_payload":1}"# + "\r\n", #"INFO {"server_id":"A","max_payload":0}"# + "\r\n",
            #"INFO {"server_id":"A","max_payload":2147483648}"# + "\r\n",
            #"INFO {"server_id":"A","max_payload":1,"tls_required":1}"# + "\r\n",
            #"INFO {"server_id":"A","max_payload":1,"nonce":1}"# + "\r\n", "MSG\r\n", "MSG a 1\r\n",
            "MSG a x 1\r\n", "MSG a 1 x\r\n", "MSG a 1 -1\r\n", "MSG a 1 b 1 1\r\n", "MSG a 1 +1\r\n",
            "MSG a 1 1048577\r\n", "MSG a 1 9223372036854775807\r\n", "MSG a 1 99999999999999999999\r\n",
            "MSG a 1 1\r\nab\r\n", "MSG a 1 1\r\nax\n", "MSG a 1 1\r\na\rx", "MSG a 1 0\r\nPING\r\n", "HMSG a 1 1\r\n",
            "HMSG a 1 2 1\r\n", "HMSG a 1 x 1\r\n", "HMSG a 1 1 x\r\n", "HMSG a 1 b 1 1 1\r\n", "HMSG a x 1 1\r\n",
        ])
    func refused(_ text: String) {
        let bytes = Array("PING\r\n\(text)PING\r\n".utf8)
        for cut in 0..<bytes.count {
            #expect(Self.told([Array(bytes[..<cut]), Array(bytes[cut...])]) == ["ping", "!"], "\(cut)")
        }
        #expect(Self.told(bytes.map { [$0] }) == ["ping", "!"])
    }

    @Test("lines and messages may be so long, and not longer, whether their ends have come or not")
    func limits() {
        let line = { (count: Int) in "-ERR " + String(repeating: "x", count: count - 5) }
        // The CR counts.
        #expect(Self.told(line(BrokerWordReader.lineBytesMax - 1) + "\r\n").first?.hasPrefix("complaint") == true)
        #expect(Self.told(line(BrokerWordReader.lineBytesMax) + "\r\n") == ["!"])
        #expect(Self.told(line(BrokerWordReader.lineBytesMax)) == ["…"])
        #expect(Self.told(line(BrokerWordReader.lineBytesMax + 1)) == ["!"])
        let info = { (count: Int) in
            let start = #"INFO {"server_id":"A","max_payload":1"#
            return start + String(repeating: " ", count: count - start.count - 1) + "}"
        }
        #expect(Self.told(info(BrokerWordReader.infoBytesMax - 1) + "\r\n") == ["info A - 1 false"])
        #expect(Self.told(info(BrokerWordReader.infoBytesMax + 1)) == ["!"])
        let most = BrokerWordReader.messageBytesMax
        let message = [UInt8](repeating: 0x61, count: most)
        let pieces = [Array("MSG a 1 \(most)\r\n".utf8), Array(message[..<1_000]), Array(message[1_000...])]
        #expect(Self.told(pieces) == ["…"])
        #expect(Self.told(pieces + [[0x0D, 0x0A]]).first?.utf8.count == most + "message a - []".utf8.count)
    }

    @Test("what is not UTF-8 is read all the same")
    func notText() {
        #expect(Self.told([Array("MSG a.".utf8), [0xFF], Array(" 1 0\r\n\r\n".utf8)]) == ["message a.\u{FFFD} - []"])
    }

    @Test("what is said is NATS' text")
    func said() throws {
        var text: [UInt8] = []
        #expect(LineWords.subscribe("a.*", number: 7, to: &text))
        #expect(LineWords.publish("a", reply: nil, headers: [], [0x68, 0x69], bytesMax: 2, to: &text))
        #expect(LineWords.publish("a", reply: "b.c", headers: [], [], bytesMax: 2, to: &text))
        let headers = [(name: "Kind", value: "a: b"), (name: "Empty", value: "")]
        #expect(LineWords.publish("a", reply: "b", headers: headers, [0x68, 0x69], bytesMax: 35, to: &text))
        #expect(LineWords.publish("a", reply: nil, headers: headers, [], bytesMax: 33, to: &text))
        let block = "NATS/1.0\r\nKind: a: b\r\nEmpty: \r\n\r\n"
        #expect(
            String(decoding: text, as: UTF8.self)
                == "SUB a.* 7\r\nPUB a 2\r\nhi\r\nPUB a b.c 0\r\n\r\nHPUB a b 33 35\r\n\(block)hi\r\n"
                + "HPUB a 33 33\r\n\(block)\r\n")
        #expect(
            String(decoding: LineWords.connect(jwt: "j.w", signature: [0, 0xFF]), as: UTF8.self)
                == #"CONNECT {"verbose":false,"pedantic":false,"echo":true,"headers":true,"no_responders":true,"#
                + #""protocol":1,"lang":"swift","jwt":"j.w","sig":"AP8"}"# + "\r\n")
        #expect(!String(decoding: LineWords.connect(jwt: "j", signature: nil), as: UTF8.self).contains("sig"))
    }

    @Test(
        "what would be another word is not said",
        arguments: ["", "a b", "a\tb", "a\r", "a\n", "\u{7F}", "\0", "a\r\nPUB b 0\r\n"])
    func unsaid(_ subject: String) {
        var text: [UInt8] = []
        let value = subject.isEmpty ? "\r" : subject
        #expect(!LineWords.subscribe(subject, number: 1, to: &text))
        #expect(!LineWords.publish(subject, reply: nil, headers: [], [], bytesMax: 99, to: &text))
        #expect(!LineWords.publish("a", reply: subject, headers: [], [], bytesMax: 99, to: &text))
        #expect(!LineWords.publish("a", reply: nil, headers: [(subject, "b")], [], bytesMax: 99, to: &text))
        #expect(!LineWords.publish("a", reply: nil, headers: [("a:", "b")], [], bytesMax: 99, to: &text))
        // A value may have blanks, within its line.
        let isValue = value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 || (0x61...0x7A).contains($0) }
        var headed: [UInt8] = []
        #expect(LineWords.publish("a", reply: nil, headers: [("a", value)], [], bytesMax: 99, to: &headed) == isValue)
        #expect(text.isEmpty && headed.isEmpty != isValue)
    }

    @Test("subjects and messages are no longer than a broker takes")
    func saidLimits() {
        var text: [UInt8] = []
        let long = String(repeating: "a", count: LineWords.subjectsBytesMax)
        #expect(!LineWords.subscribe(long + "a", number: 1, to: &text))
        #expect(!LineWords.publish(long, reply: "a", headers: [], [], bytesMax: 99, to: &text))
        #expect(!LineWords.publish("a", reply: nil, headers: [], [1, 2, 3], bytesMax: 2, to: &text))
        #expect(!LineWords.publish("a", reply: nil, headers: [("a", "b")], [1], bytesMax: 18, to: &text))
        #expect(text.isEmpty)
        #expect(LineWords.subscribe(long, number: 1, to: &text))
        #expect(LineWords.publish(long, reply: nil, headers: [("a", "b")], [1], bytesMax: 19, to: &text))
    }
}
