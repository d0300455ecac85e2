internal import AvatarPolicy
internal import CCurl
internal import Glibc

/// One HTTP request by libcurl, which follows nothing, remembers nothing and connects only where the rules allow.
///
/// Owns the libcurl handle; used by one thread. What a callback decides is kept, and read after the transfer.
@safe final class Transfer {
    /// What came of it.
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
    /// Why a callback ended the transfer.
    var verdict: Skip?
    /// Why an address was not connected to.
    var addressRefusal: Skip?
    var addressesAllowed = 0
    private let handle: UnsafeMutableRawPointer

    /// A transfer of `url`, not begun. Throws ``SkipReason/transferFailed`` where libcurl cannot be used.
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
            // The resolver runs on a thread of libcurl's; without this its end is waited for, however long it takes.
            (CURLOPT_QUICK_EXIT, 1),
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
