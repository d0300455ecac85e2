import BelfrySyscalls
import Glibc
import Support
import Testing

/// An app as a process of its own.
@Suite struct AppProcessTests {
    @Test(
        "an app is run by its program, by @main or by its class's name, and is told of its end",
        arguments: [
            "run", "main", "named",
        ]) func life(way: String) throws
    {
        let app = try ProgramRun(builtProgram("AppSample"), [way])
        #expect(app.line() == "launched true true")
        #expect(app.line() == "ready true")
        try app.child.signal(SIGTERM)
        #expect(app.lines() == ["terminating"])
        #expect(try app.child.waitUntilExit() == .exited(code: 0))
    }

    @Test("an app whose main thread is blocked ends all the same, after five seconds") func blocked() throws {
        let app = try ProgramRun(builtProgram("AppSample"), ["blocked"])
        while let line = app.line(), line != "blocked" {}
        try app.child.signal(SIGTERM)
        #expect(app.lines().isEmpty)
        #expect(try app.child.waitUntilExit() == .exited(code: 0))
    }

    @Test("a delegate that is no class of the program's is refused with the remedy") func unnamed() throws {
        let app = try ProgramRun(builtProgram("AppSample"), ["unnamed"])
        #expect(app.complaints().first?.contains("Nobody is no UIResponder and UIApplicationDelegate") == true)
        #expect(try app.child.waitUntilExit() == .exited(code: EX_USAGE))
    }
}
