import Glibc

/// What of the worker's environment the fetcher gets: of all that a session has in it, the least that a transfer needs.
public enum FetcherEnvironment {
    /// Where certificates are that this machine trusts, and how names are asked for (resolv.conf(5)).
    static let names = ["SSL_CERT_FILE", "SSL_CERT_DIR", "RES_OPTIONS", "LOCALDOMAIN"]

    /// The fetcher's environment, of variables that `variable` tells.
    static func of(_ variable: (String) -> String?) -> [String: String] {
        // The trace of a crash costs every start a dozen system calls, and its filter would refuse them.
        var environment = ["SWIFT_BACKTRACE": "enable=no"]
        for name in names { environment[name] = variable(name) }
        return environment
    }

    /// The variable `name` of this process; nil where it is not set.
    public static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
