import BelfrySyscalls
import Glibc
import Support
import Testing

extension IntegrationTests {
    @Suite("Installed for a user") struct Install {
        let home = Surroundings.home
        let runtime = "\(Surroundings.runtimeDirectory)/belfry"

        @Test("what make install installs rings, and make uninstall silences it and leaves only state behind")
        func installAndUninstall() throws {
            let installed = try make("install")
            #expect(installed.status.isSuccess && installed.output.contains("\(home)/.local/bin is not in PATH"))
            for path in ["Package.swift", "Plugins/ExtensionGlue/ExtensionGlue.swift", "Sources/Apple/os/OSLog.swift"] {
                #expect(fileKind("\(home)/.local/share/belfry/swift/belfry/\(path)") == S_IFREG, "no \(path)")
            }
            try systemctl("daemon-reload")
            try systemctl("enable", "--now", "belfry.socket")
            let call = try Client(
                socket: "\(runtime)/push.sock",
                sending: Array(Phone.payload(#""type": 1, "callId": "installed""#, "", group: nil).utf8))
            try call.wait(for: "delivered")

            let uninstalled = try make("uninstall")
            #expect(uninstalled.status.isSuccess, "\(uninstalled.errors)")
            #expect(uninstalled.output.contains("Left: \(home)/.local/state/belfry\n"))
            #expect(call.story().suffix(2) == ["ended stopped", "missed"])
            #expect(fileKind(runtime) == 0 && fileKind("\(home)/.local/state/belfry/groups") == S_IFDIR)
            for path in ["bin/belfry", "share/systemd/user/belfry.socket", "share/belfry", "share/doc/belfry"] {
                #expect(fileKind("\(home)/.local/\(path)") == 0, "\(path) is left")
            }
            #expect(try systemctl("list-units", "--all", "--no-legend", "belfry@*") == "")
            #expect(try systemctl("show", "--property=LoadState", "--value", "belfry.socket") == "not-found\n")
        }

        @Test("with its programs' folder in PATH, make install says nothing of it")
        func inPath() throws {
            let prefix = TemporaryFolder()
            let path = ["PATH": "\(prefix.path)/bin:\(Surroundings.value("PATH") ?? "")"]
            let installed = try make("install", "PREFIX=\(prefix.path)", environment: path)
            #expect(installed.status.isSuccess && !installed.output.contains("not in PATH"))
        }

        private func make(_ words: String..., environment: [String: String] = [:]) throws -> Finished {
            try run(
                "/usr/bin/make", ["--no-print-directory", "-C", sourceFile("")] + words, environment: environment)
        }

        @discardableResult
        private func systemctl(_ words: String...) throws -> String {
            let finished = try run("/usr/bin/systemctl", ["--user"] + words)
            #expect(finished.status.isSuccess, "systemctl \(words): \(finished.errors)")
            return finished.output
        }

        /// What kind of file stands at `path`; 0 if none does.
        private func fileKind(_ path: String) -> UInt32 {
            var status = stat()
            return unsafe lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
        }
    }
}
