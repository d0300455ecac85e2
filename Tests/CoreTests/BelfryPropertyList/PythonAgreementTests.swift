import BelfryPropertyList
import Glibc
import Support
import Testing

/// The binary reader against Python's plistlib, file by file.
///
/// libplist 2.2.0 was compared by hand over 23,000 files that plistlib and libplist wrote and mutations of them,
/// in the same way: every file that both read has the same value, but for dates, of which libplist keeps microseconds
/// and beyond 32 bits whole seconds; halves of pairs of UTF-16, which libplist leaves out and we make U+FFFD; and the
/// high eight of an integer's sixteen bytes, which libplist drops and we refuse. It refuses an empty text in UTF-16.
@Suite struct PythonAgreementTests {
    /// Reasons to refuse what plistlib reads, which looks at no limit of ours, at neither UID nor integer of more than
    /// 64 bits, and hardly at where an object lies.
    private static let stricter = [
        "a text with U+0000", "an integer beyond 64 bits", "a UID beyond 32 bits", "a trailer that points outside",
        "an object outside of the file", "an object longer than the file", "a length that is no integer",
        "a type that no property list has", "a key that is no text",
    ]

    @Test func R18_randomTreesAndTheirMutationsAreReadAsPlistlibReadsThem() throws {
        let folder = TemporaryFolder()
        var (treeCount, bothCount) = (0, 0)
        for line in output(of: folder.write(Array(Self.script.utf8), to: "trees.py")) {
            let words = line.split(separator: " ")
            let bytes = Samples.bytes(String(words[1]))
            let expected = words[2]
            if words[0] == "tree" { treeCount += 1 }
            do throws(PropertyListError) {
                let read = spelled(.dictionary(try PropertyListDictionary.parse(bytes)))
                guard expected != "!" else { continue }
                #expect(read == expected, "\(words[1])")
                bothCount += 1
            } catch {
                let isStricter = Self.stricter.contains { error.detail.hasPrefix($0) }
                #expect(expected == "!" || words[0] == "mutation" && isStricter, "\(error): \(words[1])")
            }
        }
        #expect(treeCount == 300 && bothCount > 400)
    }

    private func output(of script: String) -> [Substring] {
        guard let pipe = unsafe popen("python3 \(script)", "r") else { return [] }
        defer { unsafe pclose(pipe) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = unsafe fread(&buffer, 1, buffer.count, pipe), count > 0 { output += buffer[..<count] }
        return String(decoding: output, as: UTF8.self).split(separator: "\n")
    }

    /// A value as the script spells it: type, then what tells it from every other of its type.
    private func spelled(_ value: PropertyListValue) -> String {
        switch value {
        case .bool(let flag): flag ? "t" : "f"
        case .integer(let number): "i\(number)"
        case .unsigned(let number): "i\(number)"
        case .real(let number): number.isNaN ? "rnan" : "r" + String(number.bitPattern, radix: 16)
        // plistlib keeps microseconds.
        case .date(let seconds): "d\(((seconds * 1e6).rounded() / 1e6).rounded(.down) + 0)"
        case .string(let text): "s" + spelled(text.utf8)
        case .data(let bytes): "b" + spelled(bytes)
        case .uid(let number): "u\(number)"
        case .array(let elements): "[" + elements.map(spelled).joined(separator: ",") + "]"
        case .dictionary(let dictionary):
            "{" + dictionary.members.map { spelled($0.key.utf8) + "=" + spelled($0.value) }.joined(separator: ",") + "}"
        }
    }

    private func spelled(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Writes a line for each file: what it is, its bytes, and what plistlib reads in it, `!` if nothing of ours.
    private static let script = #"""
        import datetime, math, plistlib, random, struct
        chance, epoch = random.Random(6), datetime.datetime(2001, 1, 1)
        letters = ["a", "Z", " ", "\u00e9", "e\u0301", "\u0416", "\u65e5", "\U0001F514", "\uFFFE", "&", "\n", "\x01"]
        sizes = [0, 1, 2, 5, 14, 15, 16, 20]
        def text(): return "".join(chance.choice(letters[:chance.choice([3, 12])]) for _ in range(chance.choice(sizes)))
        def real(): return struct.unpack(">d", struct.pack(">Q", chance.getrandbits(64)))[0]
        def scalar(): return chance.choice([
            lambda: chance.random() < 0.5, text, lambda: text() * 20,
            lambda: chance.choice([0, -1, 255, 256, 65535, 65536, 2**32, 2**63 - 1, 2**63, 2**64 - 1, -2**63]),
            lambda: chance.getrandbits(chance.randrange(1, 65)), lambda: -chance.getrandbits(chance.randrange(1, 64)),
            lambda: chance.choice([0.0, -0.0, math.inf, -math.inf, math.nan, chance.random()]), real,
            lambda: epoch + datetime.timedelta(seconds=chance.randrange(-6 * 10**10, 25 * 10**10) / 2),
            lambda: bytes(chance.getrandbits(8) for _ in range(chance.choice(sizes + [255, 256]))),
            lambda: plistlib.UID(chance.getrandbits(chance.randrange(1, 33)))])()
        def tree(depth):
            kind = chance.random()
            if depth == 0 or kind < 0.5: return scalar()
            if kind < 0.75: return [tree(depth - 1) for _ in range(chance.choice(sizes))]
            return {text(): tree(depth - 1) for _ in range(chance.choice(sizes))}
        def spelled(value):
            if isinstance(value, bool): return "t" if value else "f"
            if isinstance(value, int): return f"i{value}"
            if isinstance(value, float):
                return "rnan" if math.isnan(value) else "r%x" % struct.unpack(">Q", struct.pack(">d", value))
            if isinstance(value, datetime.datetime): return "d%.1f" % ((value - epoch) // datetime.timedelta(seconds=1))
            if isinstance(value, str): return "s" + value.encode().hex()
            if isinstance(value, bytes): return "b" + value.hex()
            if isinstance(value, plistlib.UID): return f"u{value.data}"
            if isinstance(value, list): return "[" + ",".join(map(spelled, value)) + "]"
            return "{" + ",".join(key.encode().hex() + "=" + spelled(item) for key, item in value.items()) + "}"
        def reading(file):
            try: return spelled({**plistlib.loads(file)})
            except Exception: return "!"
        def mutation(file):
            file = bytearray(file)
            for _ in range(chance.choice([1, 1, 2, 4])):
                place = chance.choice([chance.randrange(len(file)), -chance.randrange(1, 33), chance.randrange(8, 24)])
                file[place] = chance.choice([chance.getrandbits(8), file[place] ^ 1 << chance.randrange(8), file[9]])
            return bytes(file)
        files = []
        while len(files) < 300:
            file = plistlib.dumps({text(): tree(2) for _ in range(chance.choice(sizes[:5]))}, fmt=plistlib.FMT_BINARY)
            if len(file) < 4000: files.append(file)
        small = [file for file in files if len(file) < 600]
        for file in files: print("tree", file.hex(), reading(file))
        for _ in range(1500):
            file = mutation(chance.choice(small))
            print("mutation", file.hex(), reading(file))
        """#
}
