import BelfryCommandLine
import Synchronization
import Testing
@testable import belfry

@Suite struct OptionParserTests {
    static let options = [
        Option("name", "NAME", ""), Option("no-follow", ""), Option("video", ""), Option("reason", "REASON", ""),
    ]

    func parse(_ words: String..., stops: Bool = false) throws -> ParsedOptions {
        try CommandRun.lock.withLock { _ in
            try OptionParser.parse(words, Self.options, stopsAtFirstArgument: stops)
        }
    }

    @Test func optionsMayStandAnywhere() throws {
        let parsed = try parse("a", "--name", "Anna", "b", "--video", "--reason=busy")
        #expect(parsed.arguments == ["a", "b"])
        #expect(parsed.values == ["name": "Anna", "video": "", "reason": "busy"])
    }

    @Test func theLastOneCounts() throws {
        #expect(try parse("--name=a", "--name", "b")["name"] == "b")
    }

    @Test func namesMayBeCutShort() throws {
        #expect(try parse("--vid").has("video"))
        #expect(try parse("--rea=x")["reason"] == "x")
    }

    @Test func twoHyphensEndThem() throws {
        #expect(try parse("--", "--name", "-x").arguments == ["--name", "-x"])
        #expect(try parse("-").arguments == ["-"])
    }

    @Test func theFirstArgumentMayEndThem() throws {
        let parsed = try parse("--video", "set", "KEY", "-int", "-5", stops: true)
        #expect(parsed.arguments == ["set", "KEY", "-int", "-5"])
        #expect(parsed.has("video"))
    }

    @Test func foreignTextSurvives() throws {
        #expect(try parse("--name", "Äva \u{202E}\n", "é").values["name"] == "Äva \u{202E}\n")
        #expect(try parse("--name", "").values["name"] == "")
    }

    @Test(arguments: [
        (["--name"], "--name needs a value"), (["--video=1"], "--video takes no value"),
        (["--nmae=x"], "there is no option --nmae"), (["--n"], "--n is ambiguous"), (["-x"], "there is no option -x"),
        (["a", "--nope"], "there is no option --nope"), (["-xy"], "there is no option -x"),
        (["--video", "-é"], "no option is that letter"),
    ])
    func mistakesAreNamed(words: [String], problem: String) throws {
        let error = #expect(throws: CommandError.self) {
            try CommandRun.lock.withLock { _ in
                _ = try OptionParser.parse(words, Self.options, stopsAtFirstArgument: false)
            }
        }
        #expect(error?.problem == problem && error?.status == .usage && error?.remedy.isEmpty == false)
    }
}
