import BelfrySyscalls
import Support
import Testing

/// What a process may say that is no extension of anybody's: refused with its reason, and nothing changes.
@Suite struct HostileLoadTests {
    static let attacks: [(code: String, problem: String)] = [
        ("channel.sendall(b'x' * (8 << 20))\ntime.sleep(60)", "longer than"),
        ("channel.sendall(b'{\"say\": \"comp')\nsys.exit(0)", "ended before"),
        ("channel.shutdown(socket.SHUT_RDWR)\ntime.sleep(60)", "closed its channel"),
        ("say('add', kind='blocking', count=1)\ntime.sleep(60)", "without a file"),
        ("say('add', memory(numbers(1)), kind='blocking', count=2)\ntime.sleep(60)", "2 entries has 8 bytes"),
        ("say('add', memory(numbers(1, 2)), kind='blocking', count=1)\ntime.sleep(60)", "too long"),
        ("say('add', memory(numbers(1)), kind='blocking', count=0)\ntime.sleep(60)", "count"),
        ("say('add', memory(numbers(1)), kind='blocking', count=-1)\ntime.sleep(60)", "count"),
        ("say('add', memory(numbers(1)), kind='blocking', count=10001)\ntime.sleep(60)", "count"),
        ("say('add', memory(numbers(1)), kind='contacts', count=1)\ntime.sleep(60)", "kind"),
        (
            "say('add', memory(numbers(1) + struct.pack('<H', 9) + b'a'), kind='identification', count=1)\n"
                + "time.sleep(60)", "goes beyond"
        ),
        (
            "say('add', memory(numbers(1) + struct.pack('<H', 1) + b'ab'), kind='identification', count=1)\n"
                + "time.sleep(60)", "too many"
        ),
        ("say('add', memory(numbers(1), 0), kind='blocking', count=1)\ntime.sleep(60)", "can be changed"),
        ("say('add', os.pipe()[0], kind='blocking', count=1)\ntime.sleep(60)", "not in memory"),
        ("say('add', os.open('/dev/zero', 0), kind='blocking', count=1)\ntime.sleep(60)", "not in memory"),
        ("while True: channel.sendall(b'{\"say\": \"removeAll\", \"kind\": \"blocking\"}\\n' * 100)", ""),
        ("say('done')\ntime.sleep(60)", "has not completed"),
    ]

    @Test("is refused, and the rows of before stay", arguments: attacks.indices)
    func attack(index: Int) throws {
        let (code, problem) = Self.attacks[index]
        let tried = try LoadedExtension(
            python: """
                if not os.path.exists(os.path.dirname(sys.argv[0]) + "/attacks"):
                    say("add", memory(numbers(4930000001)), kind="blocking", count=1)
                    lines.readline()
                    say("complete")
                    lines.readline()
                    say("done")
                    time.sleep(60)

                """ + code)
        #expect(try tried.load().isGood)
        tried.folder.write([], to: "Played.appex/attacks")
        let load = try tried.load(LoadedExtension.id, ["BELFRY_DIRECTORY_LOAD_TIMEOUT": "10s"])
        let isRefused = load.code == 2 || load.code == 8
        #expect(isRefused && load.problem.contains(problem) && load.status == .exited(code: 1), "\(load)")
        #expect(try tried.rows() == ["4930000001!"] && tried.leftovers().isEmpty)
    }

    @Test("a label is kept up to its limit, whatever is in it")
    func labels() throws {
        let tried = try LoadedExtension(
            python: """
                text = b"a\\n" + "\\u202e".encode() + b"\\xff" * 2000
                data = numbers(4930000001) + struct.pack("<H", 1024) + text[:1024]
                say("add", memory(data), kind="identification", count=1)
                lines.readline()
                say("complete")
                lines.readline()
                say("done")
                time.sleep(60)
                """)
        #expect(try tried.load().isGood)
        let row = try #require(try tried.rows()?.first)
        #expect(row.hasPrefix(#"4930000001 a\u{a}\u{202e}"#) && !row.contains("\u{202e}"), "\(row.prefix(80))")
    }
}
