import BelfryPictures
import BelfryTerms
import CBelfryCurl
import Glibc

/// One HTTP request by libcurl, which follows no redirect, keeps no cookie and connects only to what the rules allow.
///
/// Owns the libcurl handle; used by one thread, for one request. libcurl's callbacks may only say "go on" or "stop", so
/// the reason for a stop is kept in `verdict` and thrown once libcurl has returned.
@safe final class Transfer {
    /// How the request ended.
    enum Outcome {
        /// A whole body of status 200, and how long it may be used again.
        case body([UInt8], Freshness)
        /// Another place, as the server wrote it.
        case redirect(String)
        /// The copy with the entity tag that was sent is still the server's.
        case unchanged(Freshness)
    }

    let url: WebURL
    let rules: DestinationRules
    let bytesMax: Int
    var head = ResponseHead()
    var body: [UInt8] = []
    /// Why a callback ended the transfer; nil as long as none has. It takes precedence over what libcurl then reports.
    var verdict: Skip?
    /// Why the last refused address was not connected to. It counts only if no address was allowed.
    var addressRefusal: Skip?
    var addressesAllowed = 0
    private let handle: UnsafeMutableRawPointer

    /// A transfer of `url`, not begun. Throws ``SkipReason/transferFailed`` if libcurl cannot be used.
    init(_ url: WebURL, rules: DestinationRules, bytesMax: Int) throws(Skip) {
        guard let handle = unsafe curl_easy_init() else { throw Skip(.transferFailed, "libcurl has no memory") }
        unsafe self.handle = unsafe handle
        self.url = url
        self.rules = rules
        self.bytesMax = bytesMax
    }

    deinit { unsafe curl_easy_cleanup(handle) }

    /// Makes the request and waits for its end, at most `milliseconds`.
    func perform(milliseconds: Int, entityTag: String?) throws(Skip) -> Outcome {
        try setLimits(milliseconds: milliseconds)
        try setCallbacks()
        let headers = unsafe Self.headers(entityTag: entityTag)
        defer { unsafe curl_slist_free_all(headers) }
        try check(unsafe ccurl_set_list(handle, CURLOPT_HTTPHEADER, headers))
        let result = unsafe curl_easy_perform(handle)
        if let verdict { throw verdict }
        // Our callback stops the transfer after such a head, which libcurl reports as an error: judge the head first.
        if head.isComplete, let location = head.redirection { return .redirect(location) }
        if head.isComplete, head.status == 304, entityTag != nil { return .unchanged(Freshness(headers: head.fields)) }
        if head.isComplete, head.status != 200 {
            throw Skip(.httpStatus, "\(url.hostText) answered with status \(head.status)")
        }
        guard result == CURLE_OK else { throw refusal(of: result) }
        guard head.status == 200 else { throw Skip(.transferFailed, "\(url.hostText) did not answer in HTTP") }
        guard PictureFormat(of: body) != nil else { throw PictureHeader.notAnImage(body) }
        return .body(body, Freshness(headers: head.fields))
    }

    private func setLimits(milliseconds: Int) throws(Skip) {
        let numbers: [(CURLoption, Int)] = [
            // The resolver runs on a thread of libcurl's; without this, libcurl waits for its end, however long it
            // takes.
            (CURLOPT_QUICK_EXIT, 1),
            // Keeps libcurl from alarm(2), which would take back the SIGALRM that ends a fetcher that hangs.
            (CURLOPT_NOSIGNAL, 1),
            (CURLOPT_TIMEOUT_MS, max(1, milliseconds)),
            (CURLOPT_CONNECTTIMEOUT_MS, max(1, milliseconds)),
            (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_DISALLOW_USERNAME_IN_URL, 1),
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            (CURLOPT_HTTP_CONTENT_DECODING, 0),
            (CURLOPT_HTTP_TRANSFER_DECODING, 1),
            (CURLOPT_HTTP09_ALLOWED, 0),
            (CURLOPT_NETRC, 0),
            (CURLOPT_SSL_VERIFYPEER, 1),
            (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            (CURLOPT_FORBID_REUSE, 1),
        ]
        for (option, value) in numbers { try check(unsafe ccurl_set_long(handle, option, value)) }
        // Stops an honest server at once; the body is counted as well.
        try check(unsafe ccurl_set_offset(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(bytesMax)))
        var texts: [(CURLoption, String)] = [
            (CURLOPT_URL, url.text),
            (CURLOPT_PROTOCOLS_STR, "http,https"),
            // Both are needed to keep libcurl from the proxies that the environment names.
            (CURLOPT_PROXY, ""),
            (CURLOPT_NOPROXY, "*"),
            (CURLOPT_USERAGENT, "Belfry (belfry-avatar)"),
        ]
        // OpenSSL's and the curl tool's own variables; the library reads them nowhere.
        for (name, option) in [("SSL_CERT_FILE", CURLOPT_CAINFO), ("SSL_CERT_DIR", CURLOPT_CAPATH)] {
            if let path = unsafe getenv(name), unsafe path.pointee != 0 {
                texts.append((option, unsafe String(cString: path)))
            }
        }
        for (option, value) in texts { try check(unsafe ccurl_set_text(handle, option, value)) }
    }

    private func setCallbacks() throws(Skip) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        try check(unsafe ccurl_set_data_function(handle, CURLOPT_HEADERFUNCTION, onHeader))
        try check(unsafe ccurl_set_pointer(handle, CURLOPT_HEADERDATA, context))
        try check(unsafe ccurl_set_data_function(handle, CURLOPT_WRITEFUNCTION, onBody))
        try check(unsafe ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context))
        try check(unsafe ccurl_set_open_socket_function(handle, onOpenSocket))
        try check(unsafe ccurl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, context))
    }

    private static func headers(entityTag: String?) -> UnsafeMutablePointer<curl_slist>? {
        var list = unsafe curl_slist_append(nil, "Accept: image/png, image/jpeg, image/gif, image/webp")
        if let entityTag, Freshness.isEntityTag(entityTag) {
            unsafe list = unsafe curl_slist_append(list, "If-None-Match: " + entityTag)
        }
        return unsafe list
    }

    private func check(_ result: CURLcode) throws(Skip) {
        guard result == CURLE_OK else {
            throw Skip(.transferFailed, "libcurl refuses a setting: \(Self.words(result))")
        }
    }

    /// What libcurl says about a code; never holds anything of the transfer.
    static func words(_ code: CURLcode) -> String {
        unsafe curl_easy_strerror(code).map { unsafe String(cString: $0) } ?? "error \(code.rawValue)"
    }

    /// What OpenSSL found wrong with the certificate, as it numbers it; 0 for nothing.
    var verificationResult: Int { unsafe ccurl_verification_result(handle) }
}

/// `CURLOPT_HEADERFUNCTION`: one header line, or one of a trailer.
func onHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?)
    -> Int
{
    guard let transfer = unsafe Transfer.from(context), let bytes = unsafe bytes else { return 0 }
    let line = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: size * count))
    return transfer.take(headerLine: line) ? size * count : 0
}

/// `CURLOPT_WRITEFUNCTION`: a piece of the body.
func onBody(_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?)
    -> Int
{
    guard let transfer = unsafe Transfer.from(context), let bytes = unsafe bytes else { return 0 }
    return unsafe transfer.take(body: UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

/// `CURLOPT_OPENSOCKETFUNCTION`: asked for each address before it is connected to, whatever name, redirect or resolver
/// it came from, so nothing that changes its mind gets past (DNS rebinding).
func onOpenSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let transfer = unsafe Transfer.from(context), let address = unsafe address, purpose == CURLSOCKTYPE_IPCXN
    else {
        return -1
    }
    let family = unsafe address.pointee.family
    let length = Int(unsafe address.pointee.addrlen)
    guard let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return -1 }
    // The field is declared as a bare sockaddr; as many bytes as addrlen says are there.
    let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + start, count: length))
    guard transfer.mayConnect(family: family, socketAddress: bytes) else { return -1 }
    let type = unsafe address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return unsafe socket(family, type, address.pointee.protocol)
}

extension Transfer {
    fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        unsafe context.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether the transfer goes on. It ends with the head of any answer that has no picture, however long its body.
    fileprivate func take(headerLine line: [UInt8]) -> Bool {
        switch head.feed(line) {
        case .needMore: return true
        case .complete: return head.status == 200
        case .tooLong:
            verdict = tooManyHeaders
            return false
        }
    }

    fileprivate func take(body piece: UnsafeRawBufferPointer) -> Bool {
        guard body.count + piece.count <= bytesMax else {
            verdict = tooLarge
            return false
        }
        unsafe body.append(contentsOf: piece)
        // What is no picture is not read any further.
        guard body.count < PictureFormat.signatureBytes || PictureFormat(of: body) != nil else {
            verdict = PictureHeader.notAnImage(body)
            return false
        }
        return true
    }

    /// The refusal of a body that is longer than the request allows.
    var tooLarge: Skip {
        Skip(.tooLarge, "the picture has more than \(bytesMax) bytes, which [Avatar] MaxBytes= sets")
    }

    /// The refusal of an answer with more headers than ``FetchLimits/headerBytesMax``.
    var tooManyHeaders: Skip {
        Skip(.transferFailed, "\(url.hostText) sends more than \(FetchLimits.headerBytesMax) bytes of headers")
    }

    /// Judges the `sockaddr` that is about to be connected to.
    fileprivate func mayConnect(family: Int32, socketAddress bytes: [UInt8]) -> Bool {
        // struct sockaddr_in and sockaddr_in6 (ip(7), ipv6(7)).
        let range = family == AF_INET ? 4..<8 : 8..<24
        guard family == AF_INET || family == AF_INET6, bytes.count >= range.upperBound,
            let address = InternetAddress(bytes: Array(bytes[range]))
        else { return false }
        let port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        if let refusal = rules.refusal(of: address, port: port, for: url) {
            addressRefusal = refusal
            return false
        }
        addressesAllowed += 1
        return true
    }
}

extension Transfer {
    /// What a failure of libcurl means to an operator.
    func refusal(of code: CURLcode) -> Skip {
        let host = url.hostText
        let words = Self.words(code)
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            return Skip(.resolveFailed, "\(host) has no address, or no name server answered")
        case CURLE_COULDNT_CONNECT:
            if addressesAllowed == 0, let addressRefusal { return addressRefusal }
            return Skip(.connectFailed, "\(host) did not take the connection on port \(url.port)")
        case CURLE_OPERATION_TIMEDOUT:
            return Skip(.timeout, "\(host) \(stage) in time; [Avatar] Timeout= is how long a picture is waited for")
        case CURLE_PEER_FAILED_VERIFICATION:
            return Skip(.tlsFailed, "the certificate of \(host) \(certificateFault)")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED:
            return Skip(.tlsFailed, "TLS with \(host) failed: \(words)")
        case CURLE_FILESIZE_EXCEEDED: return tooLarge
        // What libcurl calls a single header that is longer than its own limit, which is above ours.
        case CURLE_OUT_OF_MEMORY where addressesAllowed > 0 && !head.isComplete: return tooManyHeaders
        case CURLE_URL_MALFORMAT: return Skip(.badURL, "libcurl cannot read the URL")
        case CURLE_PARTIAL_FILE: return Skip(.transferFailed, "\(host) closed before the picture was complete")
        case CURLE_GOT_NOTHING: return Skip(.transferFailed, "\(host) closed without an answer")
        default: return Skip(.transferFailed, "the transfer from \(host) failed: \(words)")
        }
    }

    private var stage: String {
        if !body.isEmpty { return "did not send the picture" }
        return addressesAllowed == 0 ? "could not be resolved" : "did not answer"
    }

    /// The commonest results of verification, as OpenSSL numbers them (x509_vfy.h).
    private var certificateFault: String {
        switch verificationResult {
        case 0: "is for another host"
        case 9, 10: verificationResult == 10 ? "has expired" : "is not valid yet; is this machine's clock right?"
        case 18, 19, 20, 21: "is not signed by an authority that this machine trusts"
        default: "is not in order (OpenSSL's verification result \(verificationResult))"
        }
    }
}

/// The status and headers of one answer, fed line by line as libcurl hands them over.
///
/// It begins anew with each status line, since interim answers (1xx) come before the final one; it is complete at the
/// empty line after a final status. Lines that come then are trailers of the body: counted, and otherwise passed over.
struct ResponseHead {
    /// What a line means for the transfer.
    enum Progress {
        /// More is to come.
        case needMore
        /// The head of the final answer is complete.
        case complete
        /// The server sends more than ``FetchLimits/headerBytesMax``.
        case tooLong
    }

    /// The status, 0 before it is known.
    private(set) var status = 0
    /// Names in lower case, values without surrounding blanks, in the order they came; only those in `namesKept`.
    private(set) var fields: [(name: String, value: String)] = []
    /// Whether what follows is body or trailers.
    private(set) var isComplete = false
    private var byteCount = 0

    private static let namesKept: Set<String> = ["location", "cache-control", "age", "etag"]

    /// Where a redirect leads; nil if the answer is no redirect, or does not say.
    var redirection: String? {
        guard [301, 302, 303, 307, 308].contains(status) else { return nil }
        return fields.first { $0.name == "location" }?.value
    }

    /// Takes one line, its line end included.
    mutating func feed(_ line: [UInt8]) -> Progress {
        byteCount += line.count
        guard byteCount <= FetchLimits.headerBytesMax else { return .tooLong }
        guard !isComplete else { return .needMore }
        let content = line.trimmingBlanks
        if content.starts(with: "HTTP/".utf8) {
            // An interim answer (1xx) may have come before.
            fields = []
            status = Self.status(content)
        } else if content.isEmpty {
            isComplete = status >= 200
            return isComplete ? .complete : .needMore
        } else if let colon = content.firstIndex(of: UInt8(ascii: ":")) {
            let name = String(decoding: content[..<colon], as: UTF8.self).lowercased()
            if Self.namesKept.contains(name) {
                let value = String(decoding: Array(content[(colon + 1)...]).trimmingBlanks, as: UTF8.self)
                fields.append((name, value))
            }
        }
        return .needMore
    }

    private static func status(_ line: ArraySlice<UInt8>) -> Int {
        let words = line.split(separator: UInt8(ascii: " "))
        guard words.count >= 2, words[1].count == 3, words[1].allSatisfy(\.isASCIIDigit) else {
            return 0
        }
        return words[1].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}

extension [UInt8] {
    /// Without the blanks and line ends at either side.
    fileprivate var trimmingBlanks: ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
        let start = drop(while: isBlank)
        return start.lastIndex { !isBlank($0) }.map { start[...$0] } ?? []
    }
}
