import BelfrySyscalls
import CallChannel
import Foundation
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

    @Test("an app in its folder says who it is as it is launched, and ends if belfry-calls asks it to")
    func connected() async throws {
        let centre = try PlayedCentre()
        let app = centre.folder.makeFolder("Sample.app")
        let information = """
            <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.sample</string>
            <key>CFBundleDisplayName</key><string>Sample</string>
            <key>UIBackgroundModes</key><array><string>voip</string></array></dict></plist>
            """
        centre.folder.write(Array(information.utf8), to: "Sample.app/Info.plist")
        try FileManager.default.copyItem(atPath: builtProgram("AppSample"), toPath: "\(app)/Sample")
        let run = try ProgramRun("\(app)/Sample", ["run"], environment: ["BELFRY_CALLS_SOCKET": centre.path])
        let hello = await centre.first { message -> AppHello? in
            if case .hello(let hello) = message { hello } else { nil }
        }
        #expect(hello?.id == "com.example.sample" && hello?.name == "Sample" && hello?.hasVoIPMode == true)
        #expect(run.line() == "launched true true")
        #expect(run.line() == "ready true")
        centre.say(.welcome(AppWelcome(stateDirectory: centre.folder.path)))
        centre.say(.stop)
        #expect(run.lines() == ["terminating"])
        #expect(try run.child.waitUntilExit() == .exited(code: 0))
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
