import BelfryAppGroup
import BelfryDevices
import BelfrySyscalls
import BelfryTerms
import DeviceRegistry
import Glibc
import Support
import Testing

/// A gateway and a broker as they are installed, and test jobs that have one credential.
private struct FleetOfJobs {
    /// How many jobs there are.
    static let count = Surroundings.value("BELFRY_FLEET_JOBS").flatMap { Int($0) } ?? 4
    /// How long all of them may take to begin, and what is pushed to arrive.
    static let seconds: Int64 = 120

    let office: Office
    let gateway: PushGateway
    let place = TemporaryFolder()
    /// What commands read from to their end.
    private let fifo: Int32

    /// One that runs, and the token for its calls.
    struct Job {
        let number: Int
        let run: ProgramRun
        let token: String
    }

    init() throws {
        let office = try Office()
        self.office = office
        gateway = try PushGateway("gate", of: office)
        let path = "\(place.path)/end"
        try checked("mkfifo", on: path) { unsafe mkfifo(path, 0o600) }
        fifo = try checked("open", on: path) { unsafe open(path, O_RDWR | O_CLOEXEC) }
    }

    /// Has all commands end, and with 0.
    func end(_ jobs: some Sequence<Job>) throws {
        // They read the end of what nobody can write to any more.
        close(fifo)
        for job in jobs { #expect(try job.run.child.waitUntilExit() == .exited(code: 0)) }
    }

    /// `belfry serve --fleet` of a command that prints its token and runs until ``end(_:)``.
    func job(_ number: Int, _ credential: String) throws -> ProgramRun {
        try ProgramRun(
            "\(Surroundings.programs)/belfry",
            [
                "serve", "--fleet", credential, "--bundle-id", "com.example.phone", "--record",
                "\(place.path)/\(number)", "--", "/bin/sh", "-c",
                "exec 3<'\(place.path)/end'; echo $BELFRY_APNS_VOIP_TOKEN; cat <&3",
            ],
            environment: [
                "TMPDIR": place.path, "XDG_RUNTIME_DIR": nil, "BELFRY_SOCKET": nil, "BELFRY_SOUND": "none",
            ])
    }

    func push(_ call: String, to token: String) throws -> String {
        try gateway.push(#"{"callId": "\#(call)", "callerName": "Ada", "handle": "+49"}"#, to: token)
    }

    /// So many that begin at once.
    func jobs(_ count: Int) throws -> [Job] {
        let credential = try office.credential("ci", ["--shared"])
        let runs = try (0..<count).map { try job($0, credential) }
        return try runs.enumerated().map { number, run in
            let token = run.line()
            return Job(
                number: number, run: run,
                token: try #require(token, "it did not begin: \(token == nil ? run.complaints() : [])"))
        }
    }

    /// By which a record has that job's call.
    static func word(_ number: Int, _ word: String = "call") -> String { #""call":"\#(word)-\#(number)""# }

    /// Pushes a call to each, which its record has in the end.
    func call(_ word: String, _ jobs: [Job]) throws {
        for job in jobs {
            let answer = { try push("\(word)-\(job.number)", to: job.token) }
            // The gateway hears of a device by the broker.
            #expect(try waitUntil(seconds: Self.seconds) { try answer() == "200" }, "\(job.number)")
        }
        for job in jobs {
            let path = "\(place.path)/\(job.number)"
            #expect(
                waitUntil(seconds: Self.seconds, every: 20) {
                    contents(of: path).contains(Self.word(job.number, word))
                }, "\(job.number)")
        }
    }

    /// Two agents under one name are no wonder if that is shared.
    func expectNoTwins() throws {
        let journal = try run(
            "/usr/bin/journalctl", ["--user", "--unit=\(gateway.phone.name)-relay.service", "--output=cat"])
        #expect(!journal.output.contains("twice"), "\(journal)")
    }
}

extension IntegrationTests {
    @Suite("Test jobs by one credential", .timeLimit(.minutes(10))) struct FleetServe {
        private let fleet: FleetOfJobs

        init() throws { fleet = try FleetOfJobs() }

        @Test("many at once each hear their own push and no other, and their devices are removed at the end")
        func own() throws {
            let begun = bootTimeMicroseconds()
            let jobs = try fleet.jobs(FleetOfJobs.count)
            print("\(jobs.count) jobs began within \((bootTimeMicroseconds() - begun) / 1_000) ms")
            #expect(Set(jobs.map(\.token)).count == FleetOfJobs.count)
            try fleet.call("call", jobs)
            // A job that answered for others' tokens would have said that it does not know them.
            var log: [Substring] = []
            #expect(
                try waitUntil(seconds: FleetOfJobs.seconds, every: 100) {
                    log = try fleet.gateway.phone.belfry("apns", "log", "--lines", "100000", "--json").output.split(
                        separator: "\n")
                    return log.count { $0.contains(#""step":"received""#) } == FleetOfJobs.count
                })
            #expect(!log.contains { $0.contains("offline") }, "\(log)")
            try fleet.end(jobs)
            for job in jobs {
                let heard = contents(of: "\(fleet.place.path)/\(job.number)")
                for other in 0..<FleetOfJobs.count where other != job.number {
                    #expect(!heard.contains(FleetOfJobs.word(other)), "\(heard)")
                }
            }
            for job in jobs {
                #expect(
                    try waitUntil(seconds: FleetOfJobs.seconds) {
                        try fleet.push("late", to: job.token).contains("Unregistered")
                    })
            }
            try fleet.expectNoTwins()
        }

        @Test("without a broker, or with a credential for one alone, it says why and runs no command") func fails()
            throws
        {
            for (words, whose) in [(["--gateway"], "the gateway other"), ([], "the machine other")] {
                let only = try fleet.job(0, fleet.office.credential("other", words))
                #expect(try only.child.waitUntilExit() == .exited(code: 65))
                let complaints = only.complaints()
                #expect(complaints.contains { $0.contains("the credential of \(whose)") && $0.contains("--shared") })
                #expect(only.lines().isEmpty)
            }
            #expect(try fleet.job(0, "\(fleet.place.path)/nosuch").child.waitUntilExit() == .exited(code: 66))
            let credential = try fleet.office.credential("ci", ["--shared"])
            try fleet.office.signal(0, SIGKILL)
            let alone = try fleet.job(1, credential)
            #expect(try alone.child.waitUntilExit() == .exited(code: 69))
            #expect(alone.complaints().contains { $0.contains("no broker lets it in") } && alone.lines().isEmpty)
        }
    }

    /// Waits for the ten minutes after which a silent job's devices are removed.
    @Suite("Test jobs that are killed", .timeLimit(.minutes(20))) struct FleetCampaignServe {
        private let fleet: FleetOfJobs

        init() throws { fleet = try FleetOfJobs() }

        @Test("the devices of half of them go ten minutes after they are killed with all that they started")
        func killed() throws {
            let jobs = try fleet.jobs(FleetOfJobs.count)
            try fleet.call("call", jobs)
            let registry = try TokenRegistry(state: fleet.gateway.phone.state)
            let (dead, living) = (jobs.prefix(FleetOfJobs.count / 2), jobs.dropFirst(FleetOfJobs.count / 2))
            let devices = try dead.map { job in
                try #require(registry.all().first { $0.voipToken.hex == job.token }?.id)
            }
            let killedAt = bootTimeMicroseconds()
            for job in dead {
                let processes = [job.run.child.pid] + descendantProcesses(of: job.run.child.pid)
                #expect(processes.count > 2)
                for process in processes { kill(process, SIGKILL) }
                #expect(try job.run.child.waitUntilExit() == .killed(signal: SIGKILL))
            }
            // A job's last word is half a minute old at most, and gateways look every minute.
            #expect(
                !waitUntil(seconds: 540, every: 5_000) { devices.contains { registry.device($0)?.removedAt != nil } },
                "\((bootTimeMicroseconds() - killedAt) / 1_000_000) s")
            #expect(
                waitUntil(seconds: 180, every: 1_000) { devices.allSatisfy { registry.device($0)?.removedAt != nil } })
            print("all are removed \((bootTimeMicroseconds() - killedAt) / 1_000_000) s after their jobs were killed")
            for job in dead { #expect(try fleet.push("late", to: job.token).contains("Unregistered"), "\(job.number)") }
            try fleet.call("late", Array(living))
            try fleet.end(living)
            try fleet.expectNoTwins()
        }
    }
}
