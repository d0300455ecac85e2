import BelfryTerms

/// The connections that there are: strangers in the order in which they came, and whose the others are.
struct HTTP2Places {
    private(set) var connections: [UInt64: HTTP2Connection] = [:]
    /// The numbers of strangers, and of some that are none any more.
    private var strangers: [UInt64] = []
    private var firstStranger = 0
    private(set) var strangersCount = 0
    /// How many connections each good credential has.
    private var shares: [String: Int] = [:]

    mutating func add(_ connection: HTTP2Connection) {
        connections[connection.number] = connection
        strangers.append(connection.number)
        strangersCount += 1
    }

    /// Notes that a stranger has shown a credential; how many connections have shown that one.
    mutating func trust(_ connection: HTTP2Connection, for credential: String) -> Int {
        strangersCount -= 1
        shares[credential, default: 0] += 1
        return shares[credential, default: 0]
    }

    mutating func remove(_ connection: HTTP2Connection) {
        guard connections.removeValue(forKey: connection.number) != nil else { return }
        guard let credential = connection.credential else {
            strangersCount -= 1
            return
        }
        let left = shares[credential, default: 0] - 1
        shares[credential] = left > 0 ? left : nil
    }

    /// The stranger that came first; nil if there is none.
    mutating func oldestStranger() -> HTTP2Connection? {
        while firstStranger < strangers.count {
            if let found = connections[strangers[firstStranger]], found.credential == nil { return found }
            firstStranger += 1
        }
        strangers = []
        firstStranger = 0
        return nil
    }

    /// Of those that have shown `credential`, or any, the one that has been silent for longest.
    func longestIdle(of credential: String? = nil) -> HTTP2Connection? {
        connections.values.filter { $0.credential != nil && (credential == nil || $0.credential == credential) }
            .min { ($0.lastReadAt, $0.number) < ($1.lastReadAt, $1.number) }
    }
}
