internal import AvatarPolicy
internal import CCurl

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
