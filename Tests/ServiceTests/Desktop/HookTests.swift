import BelfryJSON
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import RingEar
import Showing
import Support
import Testing

@testable import Desktop

@Suite("What is run when a call was answered, declined or missed") struct HookTests {
    @Test("a unit by its suffix, or a path with arguments")
    func reading() {
        #expect(DesktopHook("app.service")?.action == .unit("app.service"))
        #expect(DesktopHook("app@.service")?.action == .unit("app@.service"))
        #expect(DesktopHook("graphical.target")?.action == .unit("graphical.target"))
        #expect(DesktopHook("/bin/app --call  $X %n")?.action == .program("/bin/app", ["--call", "$X", "%n"]))
        for text in [
            "", " ", "app", "app.service x", ".service", "a/b.service", "../x.service", "a\u{e9}.service", "app.timer",
            String(repeating: "a", count: 200) + ".service",
        ] { #expect(DesktopHook(text) == nil, "\(text)") }
    }

    @Test("a template has an instance for each call") func instances() {
        #expect(DesktopHook.instance(of: "app@.service", 12) == "app@12.service")
        #expect(DesktopHook.instance(of: "app.service", 12) == "app.service")
        #expect(DesktopHook.instance(of: "app@x.service", 12) == "app@x.service")
        #expect(DesktopHook.instance(of: "a@b@.service", 12) == "a@b@.service")
    }

    private static func variables(_ name: String, _ handle: String = "") throws -> HookVariables {
        let call = ShownCallID(group: try #require(GroupName("group.a")), call: "A$\"B")
        return HookVariables(
            call: call, caller: ShownCaller(name: name, handle: handle, hasVideo: false), reason: "answered")
    }

    @Test("S4: a name from outside is one line, without what nobody can see")
    func cleaned() throws {
        let variables = try Self.variables("Ada\n\u{1}\u{202E}x\u{9B}", "+49\tBELFRY_REASON=declined")
        #expect(
            variables.assignments == [
                "BELFRY_CALL=A$\"B", "BELFRY_NAME=Ada x ", "BELFRY_HANDLE=+49 BELFRY_REASON=declined",
                "BELFRY_GROUP=group.a", "BELFRY_REASON=answered",
            ])
    }

    @Test("S4: what is clicked gets its whole text on one line, and its payload, without control characters")
    func clicked() throws {
        var content = NotificationContent()
        (content.title, content.body) = ("Lun\u{202E}ch", "one\ntwo" + String(repeating: "x", count: 300))
        content.userInfo = ["url": "https://a.example/\n\u{7F}$HOME"]
        let alert = ShownAlert(content, in: try #require(GroupName("group.a")), name: "chat\n1")
        #expect(
            HookVariables(opening: alert).assignments == [
                "BELFRY_ALERT=chat 1", "BELFRY_TITLE=Lunch", "BELFRY_BODY=one two" + String(repeating: "x", count: 300),
                #"BELFRY_USER_INFO={"url":"https://a.example/\n\u007f$HOME"}"#, "BELFRY_GROUP=group.a",
                "BELFRY_REASON=clicked",
            ])
        content.userInfo = ["x": .string(String(repeating: "x", count: 64 << 10))]
        let long = ShownAlert(content, in: try #require(GroupName("group.a")), name: "x")
        #expect(HookVariables(opening: long).assignments.contains("BELFRY_USER_INFO="))
    }

    @Test("S4: the file for a unit takes the meaning from what EnvironmentFile= would read") func file() throws {
        let text = String(decoding: try Self.variables("a\\b\"c$d`e%n 'f' #").file, as: UTF8.self)
        #expect(
            text == """
                BELFRY_CALL="A\\$\\"B"
                BELFRY_NAME="a\\\\b\\"c\\$d\\`e%n 'f' #"
                BELFRY_HANDLE=""
                BELFRY_GROUP="group.a"
                BELFRY_REASON="answered"

                """)
    }

    @Test("of a template's files the newest are kept; of plain units each its own") func tidying() throws {
        let folder = TemporaryFolder()
        let files = HookFiles(runtime: RuntimeDirectory(path: "\(folder.path)/run"))
        let variables = try Self.variables("Ada")
        try files.write(variables, for: "app.service")
        for call in 1...HookFiles.instancesMax + 3 { try files.write(variables, for: "app@\(call).service") }
        let names = Set(try Directory.open(path: "\(folder.path)/run/hooks", makes: false).names(max: 1_000))
        #expect(names.count == HookFiles.instancesMax + 1)
        #expect(names.contains("app.service") && !names.contains("app@3.service") && names.contains("app@4.service"))
    }
}
