import BelfryAppGroup
import BelfrySyscalls
import BelfryTerms
import CBelfryLinux
import CallLedger
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("The tidying unit") struct Tidying {
        @Test("R12: runs once more for a worker that dies while it runs") func diesMeanwhile() throws {
            let phone = try Phone()
            let ids = ["A", "B"].map { "\($0)-\(phone.name)" }
            let calls = try ids.map { id in
                let call = try phone.call(id)
                try call.wait(for: "delivered")
                return call
            }
            #expect(waitUntil { phone.ledger().rings.count == 2 })
            let workers = try ids.map { try #require(phone.worker(of: $0)) }
            // The tidying unit has looked at the ledger, and waits for the file.
            let ready = "\(phone.folder.path)/ready"
            let holder = try ChildProcess(
                ChildCommand(
                    path: "/usr/bin/flock",
                    arguments: [
                        "--no-fork", phone.file().path + ".lock", "/bin/sh", "-c", "echo >'\(ready)'; exec sleep 600",
                    ]))
            #expect(waitUntil { size(of: ready) > 0 })
            try holder.signal(SIGSTOP)
            kill(workers[0], SIGKILL)
            calls[0].story()
            #expect(try waitUntil { try isTold(ids[0]) })
            kill(workers[1], SIGKILL)
            calls[1].story()
            #expect(try waitUntil { try isTold(ids[1]) })
            try holder.signal(SIGKILL)
            #expect(waitUntil { ids.allSatisfy { phone.ledger().call(.init($0))?.state == .missed } })
        }

        @Test("R12 R14: waits for a journal that stands still, since nobody else tells what it has to tell")
        func stoppedJournal() throws {
            let phone = try Phone()
            let id = "A-\(phone.name)"
            let call = try phone.call(id)
            try call.wait(for: "delivered")
            kill(Surroundings.journal, SIGSTOP)
            defer { kill(Surroundings.journal, SIGCONT) }
            try fillJournal()
            kill(try #require(phone.worker(of: id)), SIGKILL)
            #expect(waitUntil { phone.ledger().call(.init(id))?.state == .missed })
            kill(Surroundings.journal, SIGCONT)
            #expect(try waitUntil { try isTold(id) })
        }

        /// Sends to the journal until its socket takes no more.
        private func fillJournal() throws {
            let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let sender = OwnedDescriptor(owning: try checked("socket") { socket(AF_UNIX, kind, 0) })
            try connectUnixSocket(sender.number, to: "/run/systemd/journal/socket")
            let entry = Array("MESSAGE=full\n".utf8)
            while unsafe send(sender.number, entry, entry.count, Int32(MSG_NOSIGNAL)) > 0 {}
            #expect(errno == EAGAIN)
        }

        /// Whether the journal has the call as missed. It knows no unit of a sender that has left before it looked.
        private func isTold(_ call: String) throws -> Bool {
            try run(
                "/usr/bin/journalctl", ["--user", "--output=cat", "BELFRY_EVENT=missed", "BELFRY_CALL=\(call)"]
            ).output.contains("missed")
        }
    }
}
