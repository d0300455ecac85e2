public import BelfryTLS
public import PushAPI

/// Who serves the clients of an ``HTTP2Listener``.
public protocol HTTP2Service: AnyObject {
    /// Decides about a client whose handshake is done: a handler serves it, or it gets a reason to leave.
    func admit(_ client: HTTP2Client) -> HTTP2Admission

    /// Takes note of a connection that has ended before its first request, unless it was sent away or asked to leave.
    func ended(_ end: EarlyEnd)
}

/// Serves the requests of one connection.
public protocol HTTP2Handler: AnyObject {
    /// The credential that its client has shown, if it is good.
    var goodCredential: String? { get }

    /// Takes a request, which is to be answered in `exchange`, now or later.
    func handle(_ request: EndpointRequest, _ body: EndpointBody, _ exchange: HTTP2Exchange)
}

/// What is known of a client before its first request.
public struct HTTP2Client {
    /// The name of the server that it asked for.
    public let serverName: String?
    /// The certificate that it has shown, and has the key of.
    public let certificate: Certificate?
}

/// What a client gets.
public enum HTTP2Admission {
    /// Its requests are served.
    case served(by: any HTTP2Handler)
    /// It is sent away with GOAWAY and these debug data.
    case sentAway([UInt8])
}

/// What a request says beside its body, and how much that is.
struct RequestHead {
    var request = EndpointRequest()
    private(set) var bytesCount = 0
    private var headersCount = 0

    /// How many bytes `value` has without the blanks at its end, which clients send by mistake; nil if it begins with
    /// one, and so is none (RFC 9113 section 8.2.1).
    static func countWithoutBlanks(of value: Span<UInt8>) -> Int? {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var count = value.count
        guard count > 0 else { return 0 }
        guard !isBlank(value[0]) else { return nil }
        while isBlank(value[count - 1]) { count -= 1 }
        return count
    }

    /// Takes a header. Those after the body are counted, but not read. False if they are too many.
    mutating func add(_ name: Span<UInt8>, _ value: Span<UInt8>, isTrailer: Bool) -> Bool {
        let (bytesCount, headersCount) = (bytesCount + name.count + value.count, headersCount + 1)
        guard bytesCount <= HTTP2Limits.headerBytesMax, headersCount <= HTTP2Limits.headersMax else { return false }
        (self.bytesCount, self.headersCount) = (bytesCount, headersCount)
        if !isTrailer { request.add(name, value) }
        return true
    }
}

/// One request as it comes, and the place where its answer goes.
public final class HTTP2Exchange {
    /// What came beside the body.
    var head = RequestHead()
    /// The body.
    var body = EndpointBody()

    /// Its stream.
    let stream: Int32
    /// Its connection, until either ends. Not weak, since that would make each use of the connection slow.
    var connection: HTTP2Connection?
    /// Whether the client has ended it.
    var isEnded = false
    /// Whether it was handed over.
    var isHandedOver = false
    /// Whether its headers are too many: it is reset, and no more is taken of it.
    var isRefused = false
    /// How many bytes of headers were decoded, those included that are passed over.
    var decodedBytes = 0
    /// How many bytes of body have come.
    var bodyBytes = 0
    /// How many bytes of the answer are the client's own, and held until it has read them.
    var echoedBytes = 0
    /// The answer's body, of which the first `sentBytes` are sent.
    var answerBody: [UInt8] = []
    var sentBytes = 0

    init(stream: Int32, connection: HTTP2Connection) {
        self.stream = stream
        self.connection = connection
    }

    /// Takes out what has come, which is not needed here any more, however long the answer takes.
    func take() -> (EndpointRequest, EndpointBody) {
        var (request, body) = (EndpointRequest(), EndpointBody())
        swap(&request, &head.request)
        swap(&body, &self.body)
        return (request, body)
    }

    /// Answers it. Nothing happens if its client is gone, or it is answered already.
    public func answer(_ answer: EndpointAnswer) { connection?.send(answer, to: self) }

    /// How many of its bytes are held here until it is handed over.
    var receivedBytes: Int { isHandedOver ? 0 : head.bytesCount + body.bytes.count }
}
