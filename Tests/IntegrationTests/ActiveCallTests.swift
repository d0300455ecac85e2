import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("R10: a call goes on after it was answered, and others ring softly meanwhile") struct ActiveCalls {
        private let folder = TemporaryFolder()

        /// A process that is somebody's call.
        private func softphone() throws -> ChildProcess {
            try ChildProcess(ChildCommand(path: "/bin/sleep", arguments: ["600"]))
        }

        private func mode(of call: Client) throws -> RingMode? {
            try call.wait(for: "ringing").ringing?.mode.known
        }

        @Test("in the process that answered, until that ends; the next call is heard as the sound says")
        func command() throws {
            let phone = try Phone(["BELFRY_SOUND": "ring"])
            let holder = try softphone()
            _ = try phone.call("A").wait(for: "ringing")
            let soft = try phone.call("B")
            #expect(try mode(of: soft) == .soft)
            let answered = try phone.belfry("answer", "A", "--pid", "\(holder.pid)")
            #expect(answered.output == "answered A (Ada)\n", "\(answered.errors)")
            let later = try phone.call("C")
            #expect(try mode(of: later) == .soft)
            #expect(try phone.rings().map(\.mode) == ["soft", "soft", "active"])
            let table = try phone.belfry("calls").output
            #expect(table.contains("SINCE") && table.contains(" \(holder.pid)\n"), "\(table)")
            let lines = try phone.belfry("calls", "--json").output.split(separator: "\n")
            #expect(lines.count == 3 && lines.last?.contains(#""mode":"active""#) == true, "\(lines)")
            kill(holder.pid, SIGKILL)
            #expect(try mode(of: soft) == .loud)
            #expect(try phone.rings().map(\.mode) == ["loud", "soft"])
            _ = try holder.waitUntilExit()
            for id in ["B", "C"] { _ = try phone.hangUp(id).story() }
            // It was never loud in between.
            #expect(soft.story().filter { $0.hasPrefix("ringing") } == ["ringing soft", "ringing loud"])
        }

        @Test("until its hangup comes, whoever lives; an answer without a process is over at once") func hungUp() throws
        {
            let phone = try Phone()
            let holder = try softphone()
            defer { kill(holder.pid, SIGKILL) }
            _ = try phone.call("A").wait(for: "ringing")
            try phone.belfry("answer")
            _ = try phone.call("B").wait(for: "ringing")
            #expect(try phone.rings().map(\.mode) == ["loud"])
            try phone.belfry("answer")
            #expect(try phone.belfry("app", "busy", "--pid", "\(holder.pid)").status.isSuccess)
            #expect(try mode(of: phone.call("C")) == .soft)
            _ = try phone.hangUp("B").story()
            #expect(try waitUntil { try phone.rings().map(\.mode) == ["loud"] })
            let gone = try phone.belfry("app", "busy", "--pid", "\(holder.pid)", "B")
            #expect(gone.status == .exited(code: 66) && gone.errors.contains("hung up"), "\(gone.errors)")
        }

        @Test("in what OnAnswer= runs, while that runs: a unit, or a program") func hooks() throws {
            let unit = "belfry-test-softphone@.service"
            let units = "\(Surroundings.runtimeDirectory)/systemd/user"
            _ = try run("/bin/mkdir", ["-p", units])
            try writeUnit("[Service]\nExecStart=/bin/sleep 600\n", "\(units)/\(unit)")
            defer { unsafe unlink("\(units)/\(unit)") }
            for hook in [unit, "/bin/sleep 600"] {
                let server = try StubServer()
                let phone = try Phone(["BELFRY_ON_ANSWER": hook], hasDesktop: true)
                try phone.systemctl("daemon-reload")
                let first = try phone.call("A")
                try first.waitForNotification(.shown)
                let second = try phone.call("B")
                #expect(try mode(of: second) == .soft)
                // Whoever accepts on the screen hears no more of it than that.
                #expect(try server.shows { $0.count == 2 })
                let asked = try #require(server.shown.values.min { $0.id < $1.id })
                server.obey("choose \(asked.id) call.accept")
                #expect(try first.wait(for: "ended").ended?.reason == .answered)
                let desktop = try #require(phone.desktop)
                #expect(
                    waitUntil {
                        let holders = phone.ledger().activeCalls.first?.holders ?? []
                        return holders.count == 1 && holders[0].pid != Int64(desktop)
                    }, "\(hook)")
                #expect(try phone.rings().map(\.mode) == ["soft", "active"])
                let process = try #require(phone.ledger().activeCalls.first?.holders.first)
                kill(Int32(process.pid), SIGTERM)
                #expect(try mode(of: second) == .loud)
                _ = try phone.hangUp("B").story()
                // It was not loud before.
                #expect(second.story().filter { $0.hasPrefix("ringing") } == ["ringing soft", "ringing loud"])
                #expect(try !phone.hasFailedUnits())
            }
        }

        @Test("but not in what OnAnswer= names and nobody can run") func noHook() throws {
            let server = try StubServer()
            let phone = try Phone(["BELFRY_ON_ANSWER": "/nosuch/softphone"], hasDesktop: true)
            try phone.call("A").waitForNotification(.shown)
            let second = try phone.call("B")
            #expect(try mode(of: second) == .soft)
            #expect(try server.shows { $0.count == 2 })
            server.obey("choose \(try #require(server.shown.keys.min())) call.accept")
            // belfry-desktop, which still runs, does not hold it.
            #expect(try mode(of: second) == .loud)
            #expect(phone.desktop != nil && phone.ledger().activeCalls.isEmpty)
        }

        private func writeUnit(_ text: String, _ path: String) throws {
            let unit = folder.write(Array(text.utf8), to: "unit")
            _ = try run("/bin/cp", [unit, path])
        }

        @Test("in the process that AnswerFor names, and ListActive has it") func bus() throws {
            func call(_ method: String, _ arguments: String...) throws -> Finished {
                try Bus.call("org.belfry.Calls1", "/org/belfry/Calls1", "org.belfry.Calls1.\(method)", arguments)
            }
            let server = try StubServer()
            let phone = try Phone(hasDesktop: true)
            let holder = try softphone()
            try phone.call("A").waitForNotification(.shown)
            #expect(try call("AnswerFor", "", "A", "4194304").errors.contains("NoSuchProcess"))
            #expect(try call("ListActive", "").output.contains("@aa{sv} []"))
            #expect(try call("AnswerFor", "", "", "\(holder.pid)").status.isSuccess)
            let listed = try call("ListActive", "").output
            for part in ["'call': <'A'>", "'name': <'Ada'>", "'duration': <uint64", "'pids': <[uint32 \(holder.pid)]>"]
            {
                #expect(listed.contains(part), "\(listed)")
            }
            #expect(try mode(of: phone.call("B")) == .soft)
            kill(holder.pid, SIGKILL)
            _ = try holder.waitUntilExit()
            #expect(try call("ListActive", "").output.contains("@aa{sv} []"))
            _ = server
        }
    }
}
