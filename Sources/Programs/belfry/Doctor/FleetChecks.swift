import BelfryCommandLine
import BelfryDevices
import BelfrySyscalls
import BelfryTerms
import Fleet

/// Whether pushes of its fleet reach this machine, or other machines from this gateway.
enum FleetChecks {
    /// A credential that ends sooner is told of.
    private static let notice = TimeSpan.seconds(14 * 86_400)
    /// A gateway that answered this long ago does so still: an agent asks every 30 ± 5 s.
    private static let freshness = TimeSpan.seconds(90)

    /// What is to be said of it; nothing where it belongs to no fleet.
    static func run(_ context: Context) -> [Finding] {
        do throws(FleetStanding.Damage) {
            guard let standing = try FleetStanding(context) else { return [] }
            return findings(standing, at: WallTime(microseconds: wallTimeMicroseconds()))
        } catch {
            let mend = "belfry fleet enroll NAME --again where the keys are, then here: belfry fleet join --again FILE"
            return [Finding(.fail, "fleet", error.text, mend: mend)]
        }
    }

    /// The findings for one that stands so at `now`.
    static func findings(_ standing: FleetStanding, at now: WallTime) -> [Finding] {
        let ofCredential = credential(standing, now)
        switch standing.answer {
        case .off:
            let who = standing.credential.role == .gateway ? "no machine is reached" : "no push comes here"
            let detail = "\(standing.unit) is off: \(who)"
            let mend = "systemctl --user enable --now \(standing.unit)"
            return ofCredential + [Finding(.fail, "fleet", detail, mend: mend)]
        case .silent(let why):
            let detail = "\(standing.unit) does not answer: \(why)"
            return ofCredential + [Finding(.fail, "fleet", detail, mend: "systemctl --user restart \(standing.unit)")]
        case .status(let status):
            let problems =
                lines(status, standing) + certificates(status, now) + twice(status, standing)
                + (standing.credential.role == .gateway
                    ? devices(status) + copies(status, standing) : gateways(status, now))
            return ofCredential + (problems.isEmpty ? [Finding(.ok, "fleet", standing.text)] : problems)
        }
    }

    private static func credential(_ standing: FleetStanding, _ now: WallTime) -> [Finding] {
        let credential = standing.credential
        let option = credential.role == .machine ? "" : " --\(credential.role.rawValue)"
        let another =
            "belfry fleet enroll \(credential.name.text)\(option) --again where the keys are, "
            + "then here: belfry fleet join FILE"
        do throws(FleetCredentialError) { try credential.check(at: now) } catch {
            let mend = if case .notYetValid = error { "see timedatectl" } else { another }
            return [Finding(.fail, "fleet", "\(credential): \(error)", mend: mend)]
        }
        guard let end = credential.claims.endsAt, end < now + notice else { return [] }
        let days = max(0, (end - now).microseconds / TimeSpan.seconds(86_400).microseconds)
        return [Finding(.warn, "fleet", "\(credential) ends in \(days) days", mend: another)]
    }

    private static func lines(_ status: FleetStatus, _ standing: FleetStanding) -> [Finding] {
        let down = status.lines.filter { !$0.isUp }
        guard !down.isEmpty || status.lines.isEmpty else { return [] }
        let journal = "journalctl --user -u \(standing.unit) says why"
        guard down.count < status.lines.count else {
            let brokers = standing.credential.brokers.map(\.description).joined(separator: ", ")
            let detail = "no broker is reached: \(brokers)"
            return [Finding(.fail, "fleet", detail, mend: "is one running, and can its port be reached? \(journal)")]
        }
        let detail = "one of two lines is up: \(down.map(\.broker).joined(separator: ", ")) is not reached"
        return [Finding(.warn, "fleet", detail, mend: "start that broker; \(journal)")]
    }

    private static func certificates(_ status: FleetStatus, _ now: WallTime) -> [Finding] {
        status.lines.compactMap { line in
            guard let days = line.certificateDaysLeft(at: now) else { return nil }
            let detail = "the certificate of broker \(line.broker) ends in \(days) days"
            let mend = "belfry fleet setup where the keys are, then copy that broker's folder and start it anew"
            return Finding(.warn, "fleet", detail, mend: mend)
        }
    }

    private static func twice(_ status: FleetStatus, _ standing: FleetStanding) -> [Finding] {
        let mend = "give one of them a name of its own: belfry fleet enroll, then there belfry fleet join --again"
        guard standing.credential.role == .gateway else {
            guard status.peers.contains(where: \.isTwice) else { return [] }
            let detail = "another machine has this one's credential: both ring (twice)"
            return [Finding(.warn, "fleet", detail, mend: mend)]
        }
        return status.peers.filter(\.isTwice).map { peer in
            let detail = "two machines have the credential of \(peer.name.text): both ring (twice)"
            return Finding(.warn, "fleet", detail, mend: mend)
        }
    }

    private static func copies(_ status: FleetStatus, _ standing: FleetStanding) -> [Finding] {
        guard let copies = status.bucket?.copies else { return [] }
        var findings: [Finding] = []
        let wanted = BucketCopies.wanted(brokers: standing.credential.brokers.count)
        if copies.count < wanted {
            let detail = "the registry of devices has \(copies.count) of \(wanted) copies: one broker has it all"
            let mend = "once all brokers run: belfry fleet setup where the keys are"
            findings.append(Finding(.warn, "fleet", detail, mend: mend))
        }
        if copies.missingCount > 0 {
            let detail = "\(copies.missingCount) of \(copies.count) copies of the registry of devices are not there"
            findings.append(Finding(.warn, "fleet", detail, mend: "start the brokers that are down"))
        }
        return findings
    }

    private static func gateways(_ status: FleetStatus, _ now: WallTime) -> [Finding] {
        guard status.lines.contains(where: \.isUp) else { return [] }
        let heard = status.peers.filter { now - $0.heardAt < freshness }
        guard !heard.isEmpty else {
            let mend = "on a gateway: systemctl --user enable --now belfry-relay.service"
            return [Finding(.fail, "fleet", "no gateway answers: no push comes here", mend: mend)]
        }
        return heard.compactMap { gateway in
            let most = FleetStatus.clockSecondsMax
            guard let seconds = gateway.clockSeconds, seconds.magnitude > most else { return nil }
            let direction = seconds > 0 ? "ahead of" : "behind"
            let detail = "the clock of gateway \(gateway.name.text) is \(seconds.magnitude) s \(direction) this one"
            return Finding(.warn, "fleet", detail, mend: "have both set by NTP: timedatectl set-ntp true")
        }
    }

    private static func devices(_ status: FleetStatus) -> [Finding] {
        let unknown = "unknown tokens are answered 503"
        switch status.standing {
        case .whole?, .empty?, nil: return []
        case .unread?:
            let mend = "more than half of the brokers have to run; then belfry fleet setup where the keys are"
            return [Finding(.warn, "fleet", "the fleet's devices were not read yet: \(unknown)", mend: mend)]
        case .missing?:
            let detail = "the brokers' registry lacks devices that are known here: \(unknown)"
            return [Finding(.warn, "fleet", detail, mend: "belfry fleet restore, and see docs/fleet.md")]
        case .unreadable?:
            let detail = "some of the fleet's devices cannot be read: \(unknown)"
            let mend = "is this gateway's Belfry older than a machine's? upgrade it"
            return [Finding(.warn, "fleet", detail, mend: mend)]
        }
    }
}
