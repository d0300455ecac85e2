import BelfrySyscalls
import BelfryTerms
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("docs/apns.md, followed literally") struct FirstSteps {
        /// All that its lines may need beside Belfry and systemd: curl, openssl, and what every Debian has.
        private static let programs = [
            "/usr/bin/curl", "/usr/bin/openssl", "/usr/bin/systemctl", "/bin/cat", "/bin/date", "/bin/sed",
            "/usr/bin/tail", "/usr/bin/tr",
        ]

        @Test("its first lines ring two calls in a new home, and say why the third is refused")
        func lines() throws {
            let installation = try Installation()
            let path = TemporaryFolder()
            for program in ["\(Surroundings.programs)/belfry"] + Self.programs {
                let name = program.split(separator: "/").last.map(String.init) ?? ""
                unsafe symlink(program, "\(path.path)/\(name)")
            }
            let blocks = shellBlocks(of: "docs/apns.md")
            #expect(blocks.count == 5)
            let said = try installation.shell(blocks.joined(separator: "\n"), ["PATH": path.path])
            #expect(said.status.isSuccess, "\(said.output) \(said.errors)")
            let lines = said.output.split(separator: "\n")
            let answers = lines.filter { $0.hasSuffix("200") || $0.hasSuffix("403") }
            #expect(answers == ["200", "200", #"{"reason":"InvalidProviderToken"}403"#], "\(said.output)")
            #expect(try waitUntil { try Set(installation.calls()) == ["1", "2"] })
            let why = lines.first { $0.contains(" refused 403 InvalidProviderToken") } ?? ""
            #expect(why.contains("the token is of team OTHERTEAM1, and key "), "\(said.output)")
            #expect(try installation.shell("belfry hangup 1 && belfry hangup 2").status.isSuccess)
            #expect(try waitUntil { try installation.calls().isEmpty })
        }
    }
}
