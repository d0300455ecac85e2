import BelfryCommandLine
import Glibc
import Support
import Testing
@testable import belfry

@Suite("Root in another's place", .enabled(if: geteuid() == 0, "only root is")) struct ForeignHomeTests {
    let folder = TemporaryFolder()

    @Test("root with the home of another, and by sudo without a session, is somebody else's") func users() throws {
        let isGiven = unsafe chown(folder.path, 4711, 4711) == 0
        try #require(isGiven)
        #expect(ForeignHome.user(["HOME": folder.path]) == 4711)
        #expect(ForeignHome.user(["HOME": folder.path, "XDG_RUNTIME_DIR": "/run/user/0"]) == 4711)
        #expect(ForeignHome.user(["HOME": "/root", "SUDO_UID": "1000"]) == 1000)
        #expect(ForeignHome.user(["HOME": "/root", "SUDO_UID": "1000", "XDG_RUNTIME_DIR": "/run/user/0"]) == nil)
        #expect(ForeignHome.user(["HOME": "/root"]) == nil && ForeignHome.user(["SUDO_UID": "0"]) == nil)
    }

    @Test("what looks at a user's calls ends with 64 and what to run; help and a named socket are for anybody")
    func refused() throws {
        let isGiven = unsafe chown(folder.path, 4711, 4711) == 0
        try #require(isGiven)
        for command in [
            ["status"], ["calls", "--missed"], ["answer"], ["doctor"], ["group", "list"],
            ["call", "--name", "A'B; $(x)"],
        ] {
            let run = CommandRun(command, ["HOME": folder.path])
            let line = (["belfry"] + command).joined(separator: " ")
                .replacing("A'B; $(x)", with: #"'A'\''B; $(x)'"#)
            #expect(run.status == .usage && run.output.isEmpty)
            #expect(
                run.complaints.contains(
                    "as user 4711: \(line); or: sudo -u '#4711' XDG_RUNTIME_DIR=/run/user/4711 \(line)"),
                "\(run.complaints)")
        }
        #expect(CommandRun(["help"], ["HOME": folder.path]).status == .done)
        let pushed = CommandRun(["call", "--socket", "/nosuch"], ["HOME": folder.path])
        #expect(pushed.status == .unavailable && pushed.complaints.contains("there is no push socket at /nosuch"))
    }
}
