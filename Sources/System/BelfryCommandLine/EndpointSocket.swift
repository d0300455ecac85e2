public import BelfrySyscalls

/// Where commands reach the APNs endpoint that runs.
public enum EndpointSocket {
    /// `$BELFRY_APNS_SOCKET`, else `apns.sock` in the runtime directory; nil if there is none.
    public static func path(_ environment: Environment) -> String? {
        if let path = environment["BELFRY_APNS_SOCKET"], !path.isEmpty { return path }
        return environment["XDG_RUNTIME_DIR"].map { "\($0)/belfry/apns.sock" }
    }
}
