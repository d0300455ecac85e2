import BelfryCrypto
import BelfryJSON
import BelfrySyscalls
import BelfryTLS
public import BelfryTerms
public import Fleet
public import FleetLine

/// The brokers of a fleet that run now, as whoever has its keys reaches them.
///
/// They are reached as users who end after two minutes: one of the brokers' own account, which tells them whom they let
/// in, and one of the fleet's account, which makes the registry of devices.
public final class RunningBrokers {
    /// How long a broker has to answer.
    static let patience = TimeSpan.seconds(2)
    /// How long it is tried to make the registry: brokers that have just started agree on who leads after some seconds.
    private static let electionPatience = TimeSpan.seconds(20)
    private static let pause = TimeSpan.milliseconds(500)
    private static let inbox = "_INBOX.setup"
    private static let tellSubject = "$SYS.REQ.CLAIMS.UPDATE"
    static let notUnderstood = "it answers what nobody understands"

    private let accountToken: String
    let account: LineCredential
    private let system: BrokerVisit

    /// Goes to `brokers`, which are to know `accountToken`, as users of these accounts.
    init(
        _ brokers: [BrokerAddress], accountToken: String, system: LineCredential, account: LineCredential
    ) throws(FleetError) {
        self.accountToken = accountToken
        self.account = account
        self.system = try Self.visit(brokers, as: system)
    }

    static func visit(
        _ brokers: [BrokerAddress], as credential: LineCredential
    ) throws(FleetError) -> BrokerVisit {
        do throws(SystemError) {
            return try BrokerVisit(to: brokers, as: credential, inbox: inbox)
        } catch {
            throw FleetError("\(error)")
        }
    }

    /// Those that are there.
    public var reached: [BrokerAddress] { system.reached }

    /// Those that are not, or do not let in whoever has these keys; and why.
    public var missed: [(broker: BrokerAddress, why: LineEnd)] { system.missed }

    /// Tells each whom it lets in from now on. Returns those that did not take it, and why.
    public func tellWhomTheyLetIn() -> [(broker: BrokerAddress, why: String)] {
        reached.compactMap { broker in
            let server = system.servers[broker]
            // Others that it has a route to answer, too.
            let answer = system.ask(Self.tellSubject, Array(accountToken.utf8), of: broker, for: Self.patience) {
                Self.object("server", in: $0)?["id"]?.stringValue == server
            }
            switch answer {
            case .bytes(let bytes):
                guard Self.object("data", in: bytes)?["code"]?.integerValue != 200 else { return nil }
                return (broker, Self.object("error", in: bytes)?["description"]?.stringValue ?? Self.notUnderstood)
            case .nobody: return (broker, "it keeps no accounts")
            case .forbidden(let words): return (broker, words)
            case .none: return (broker, "no answer in time")
            }
        }
    }

    private static func object(_ key: String, in bytes: [UInt8]) -> JSONObject? {
        (try? JSONValue.parse(bytes))?.objectValue?[key]?.objectValue
    }
}

// The registry of devices.
extension RunningBrokers {
    /// How it stands with the registry of devices.
    public enum Registry: Hashable, Sendable {
        /// It was made, with so many copies.
        case made(copies: Int)
        /// It has more copies now.
        case raised(from: Int, to: Int)
        /// It was there, with so many copies.
        case there(copies: Int)
        /// It was there, and has fewer copies than there should be, for that reason.
        case fewer(copies: Int, of: Int, why: String)
        /// Too few brokers run to make it or change it: it takes more than half of them.
        case tooFewBrokers
        /// It is not known to be there, for that reason.
        case absent(why: String)
    }

    /// Makes the registry of devices, or gives it as many copies as it should have of so many brokers. Calls `waiting`
    /// once if it has to be tried again.
    public func makeRegistry(_ waiting: () -> Void) throws(FleetError) -> Registry {
        let wanted = BucketCopies.wanted(brokers: system.brokers.count)
        guard reached.count > system.brokers.count / 2 else {
            return .tooFewBrokers
        }
        let visit = try Self.visit(reached, as: account)
        let end = bootTimeMicroseconds() + Self.electionPatience.microseconds
        var first: BucketStream.Answer?
        var turn = 0
        while true {
            guard !visit.reached.isEmpty else { return .absent(why: "the brokers have gone") }
            let broker = visit.reached[turn % visit.reached.count]
            var answer = ask(BucketStream.infoSubject, [], of: broker, by: visit)
            if case .failure = answer {} else if first == nil { first = answer }
            switch answer {
            case .absent:
                answer = ask(
                    BucketStream.createSubject, BucketStream.configuration(copies: wanted), of: broker, by: visit)
            case .copies(let count) where count < wanted:
                answer = ask(
                    BucketStream.updateSubject, BucketStream.configuration(copies: wanted), of: broker, by: visit)
            case .copies, .failure: break
            }
            if let outcome = outcome(answer, after: first, wanted, isLast: bootTimeMicroseconds() >= end) {
                return outcome
            }
            if turn == 0 { waiting() }
            turn += 1
            visit.wait(for: Self.pause)
        }
    }

    /// What has come of it, having found `first`; nil if it is to be tried again.
    private func outcome(
        _ answer: BucketStream.Answer, after first: BucketStream.Answer?, _ wanted: Int, isLast: Bool
    ) -> Registry? {
        var before = 0
        if case .copies(let count)? = first { before = count }
        switch answer {
        case .copies(let count) where count >= wanted:
            return before == 0
                ? .made(copies: count)
                : before < count ? .raised(from: before, to: count) : .there(copies: count)
        case .copies, .absent:
            return isLast ? .absent(why: Self.notUnderstood) : nil
        case .failure(let why):
            guard isLast else { return nil }
            return before == 0 ? .absent(why: why) : .fewer(copies: before, of: wanted, why: why)
        }
    }

    private func ask(
        _ subject: String, _ bytes: [UInt8], of broker: BrokerAddress, by visit: BrokerVisit
    ) -> BucketStream.Answer {
        switch visit.ask(subject, bytes, of: broker, for: Self.patience) {
        case .bytes(let bytes): BucketStream.Answer(bytes)
        case .nobody, .none: .failure("the brokers do not agree on who leads")
        case .forbidden(let words): .failure(words)
        }
    }
}

extension FleetSetup {
    /// Goes to its brokers, and waits until each has let it in or not.
    public func visitBrokers(at now: WallTime) throws(FleetError) -> RunningBrokers {
        guard let records = try records() else { throw Self.nothing }
        let keys = try keys(makes: false)
        let (authority, _) = try authority(makes: false)
        let pem = try tls("the authority cannot be written") { () throws(TLSFailure) in try authority.pem() }
        let time = records.accountTokenAt
        let (token, users) = try made { () throws(CryptoFailure) in
            let token = try keys.accountToken(revoked: records.revoked(at: time), at: time)
            var users: [LineCredential] = []
            for account in [keys.system, keys.account] {
                let key = try NATSKey(new: .user)
                let token = try keys.ownUserToken(of: account, key: key, at: now)
                users.append(LineCredential(jwt: token, key: key.privateBytes, authority: pem))
            }
            return (token, users)
        }
        return try RunningBrokers(
            records.brokers.map(\.address), accountToken: token, system: users[0], account: users[1])
    }
}
