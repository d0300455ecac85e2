import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("an extension of one's own, under the units that are installed") struct ExtensionUnits {
        private let folder = TemporaryFolder()

        private func phone(_ settings: [String: String]) throws -> Phone {
            try Phone(["BELFRY_EXTENSION": sampleExtension(in: folder)].merging(settings) { $1 })
        }

        private func push(_ what: String, to phone: Phone) throws -> Client {
            try phone.push(
                #"{"aps": {"alert": {"title": "t", "body": "b"}, "mutable-content": 1}, "do": "\#(what)"}"#)
        }

        private func content(_ event: Event) -> NotificationContent? {
            guard case .delivered(_, let content, _) = event.body else { return nil }
            return content
        }

        private func title(_ event: Event) -> String? { content(event)?.title }

        @Test(
            "what it attaches arrives, whoever keeps its process", arguments: [[:], ["BELFRY_EXTENSION_REUSE": "yes"]])
        func attaches(settings: [String: String]) throws {
            let phone = try phone(settings)
            let client = try push("attach", to: phone)
            let attachments = try content(client.wait(for: "delivered"))?.attachments ?? []
            #expect(attachments.map(\.id) == ["a"], "\(client.story())")
            #expect(attachments.map { contents(of: $0.path) } == ["RIFF"])
        }

        @Test(
            "whatever asks something of the kernel works, whoever keeps its process",
            arguments: [[:], ["BELFRY_EXTENSION_REUSE": "yes"]])
        func features(settings: [String: String]) throws {
            let phone = try phone(settings)
            let sound = folder.write(
                try readFile(at: "\(Surroundings.programs)/../share/belfry/sounds/ring.wav", bytesMax: 1 << 22).bytes,
                to: "Sample.appex/ring.wav")
            let client = try phone.push(
                #"{"aps": {"alert": {"title": "t", "body": "b"}, "mutable-content": 1}, "do": "walk", "path": "\#(sound)"}"#
            )
            let content = try content(client.wait(for: "delivered"))
            #expect(content?.body == "drawing keychain database defaults", "\(client.story())")
            #expect(content?.subtitle == "played" && content?.attachments.map(\.id) == ["drawn"])
        }

        @Test("R3 with Strict= one has its turn once the one before is delivered, and its own budget") func strict()
            throws
        {
            let phone = try phone(["BELFRY_EXTENSION_STRICT": "yes", "BELFRY_EXPIRY_BUDGET": "3s"])
            let first = try push("wait", to: phone)
            try first.wait(for: "extension")
            let second = try push("", to: phone)
            try second.wait(for: "received")
            let best = try first.wait(for: "delivered")
            let started = try second.wait(for: "extension")
            let delivered = try second.wait(for: "delivered")
            #expect(title(best) == "best attempt" && title(delivered) == "t 1")
            #expect(started.boot - (second.events.first?.boot ?? 0) > 1)
        }

        @Test("with Reuse= a second object of the same process has what comes while the first blocks") func reuse()
            throws
        {
            let phone = try phone(["BELFRY_EXTENSION_REUSE": "yes", "BELFRY_EXPIRY_BUDGET": "4s"])
            let first = try push("block", to: phone)
            #expect(title(try first.wait(for: "delivered")) == "t 1")
            let second = try push("", to: phone)
            #expect(title(try second.wait(for: "delivered")) == "t 2")
            #expect(first.story().last == "extension ended")
            #expect(second.story().last == "extension ended")
        }

        @Test("R12 what it had of a worker that is killed is delivered by the tidying unit, and the journal says so")
        func killedWorker() throws {
            let phone = try phone([:])
            let client = try push("wait", to: phone)
            try client.wait(for: "extension")
            let id = try #require(client.events.first?.id)
            try phone.systemctl("kill", "--signal=KILL", "\(phone.name)@*.service")
            #expect(!client.story().contains { $0.hasPrefix("delivered") })
            let told = try waitUntil {
                try run(
                    "/usr/bin/journalctl",
                    [
                        "--user", "--output=cat", "--output-fields=BELFRY_BY", "BELFRY_EVENT=delivered",
                        "BELFRY_ID=\(id)",
                    ]
                ).output.contains("crash")
            }
            #expect(told)
        }

        @Test("a host that is killed costs nobody the original, and is started anew for the next") func killed()
            throws
        {
            let phone = try phone(["BELFRY_EXTENSION_REUSE": "yes"])
            let first = try push("wait", to: phone)
            try first.wait(for: "extension")
            try phone.systemctl("kill", "--signal=KILL", "\(phone.name)-extension.service")
            #expect(title(try first.wait(for: "delivered")) == "t")
            #expect(first.story().contains("delivered crash"))
            #expect(title(try push("", to: phone).wait(for: "delivered")) == "t 1")
        }
    }
}
