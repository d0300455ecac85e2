/// What of the worker's environment the fetcher gets: of all that a session has in it, the least that a transfer needs.
enum FetcherEnvironment {
    /// Where certificates are that this machine trusts, and how names are asked for (resolv.conf(5)).
    static let names = ["SSL_CERT_FILE", "SSL_CERT_DIR", "RES_OPTIONS", "LOCALDOMAIN"]

    /// The fetcher's environment, taken from `environment`.
    static func of(_ environment: [String: String]) -> [String: String] {
        var passed = environment.filter { names.contains($0.key) }
        // The trace of a crash costs every start a dozen system calls, and its filter would refuse them.
        passed["SWIFT_BACKTRACE"] = "enable=no"
        return passed
    }
}
