import BelfryTerms
import CBelfryLinux
import Glibc

/// An option that a command takes.
public struct Option: Sendable {
    /// The option's long name, without the hyphens.
    public let name: String
    /// What the help calls the option's argument; nil if it takes none.
    public let argument: String?
    /// What the option does, for the help.
    public let summary: String

    /// A switch.
    public init(_ name: String, _ summary: String) {
        self.name = name
        argument = nil
        self.summary = summary
    }

    /// An option with an argument.
    public init(_ name: String, _ argument: String, _ summary: String) {
        self.name = name
        self.argument = argument
        self.summary = summary
    }
}

/// What a command line says: options by their long names, and arguments.
public struct ParsedOptions: Equatable {
    /// The argument of each option that was given; empty for a switch. If an option is given twice, the last one
    /// counts.
    public var values: [String: String] = [:]
    /// The arguments of each option that was given, in order.
    public var lists: [String: [String]] = [:]
    /// The words that are no options.
    public var arguments: [String] = []

    /// A command line that says nothing.
    public init() {}

    /// Whether the option `name` was given.
    public func has(_ name: String) -> Bool { values[name] != nil }

    /// The argument of the option `name`; nil if it was not given.
    public subscript(name: String) -> String? { values[name] }
}

/// Reads options with getopt_long(3), so that abbreviations, `--name=value` and `--` work as in other programs.
public enum OptionParser {
    /// The code of the first long option, above the codes of all letters.
    private static let firstCode: Int32 = 256

    /// Reads `words`, the command line without the program's name.
    ///
    /// If `stopsAtFirstArgument`, everything from the first word that is no option is left as it is.
    public static func parse(
        _ words: [String], _ options: [Option], stopsAtFirstArgument: Bool
    ) throws(CommandError) -> ParsedOptions {
        guard words.allSatisfy({ !$0.utf8.contains(0) }) else { throw CommandError(.usage, "an argument holds a NUL") }
        let arguments = CArguments(["belfry"] + words)
        let table = COptionTable(options)
        defer { withExtendedLifetime((arguments, table)) {} }
        let letters = stopsAtFirstArgument ? "+:h" : ":h"
        var parsed = ParsedOptions()
        clinux_getopt_begin()
        while true {
            let code = unsafe getopt_long(arguments.count, &arguments.pointers, letters, table.entries, nil)
            switch code {
            case -1:
                let index = Int(clinux_getopt_index())
                let rest = unsafe arguments.pointers[index..<Int(arguments.count)]
                parsed.arguments = unsafe rest.map { unsafe String(cString: $0!) }
                return parsed
            case Int32(UInt8(ascii: "h")): parsed.values["help"] = ""
            case Int32(UInt8(ascii: "?")), Int32(UInt8(ascii: ":")):
                let word = unsafe String(cString: arguments.pointers[Int(clinux_getopt_index()) - 1]!)
                throw error(code, word, options)
            default:
                let argument = unsafe clinux_getopt_argument()
                let value = unsafe argument.map { unsafe String(cString: $0) } ?? ""
                let name = options[Int(code - firstCode)].name
                parsed.values[name] = value
                parsed.lists[name, default: []].append(value)
            }
        }
    }

    private static func error(_ code: Int32, _ word: String, _ options: [Option]) -> CommandError {
        let optionCode = clinux_getopt_option()
        let known = optionCode >= firstCode ? options[Int(optionCode - firstCode)] : nil
        if code == Int32(UInt8(ascii: ":")), let known {
            return CommandError(.usage, "--\(known.name) needs a value", "--\(known.name) \(known.argument ?? "VALUE")")
        }
        if let known { return CommandError(.usage, "--\(known.name) takes no value", "write it without =") }
        if optionCode != 0 {
            // getopt takes a letter of several bytes for several letters, and the first byte alone is no text.
            let letter = Unicode.Scalar(UInt32(bitPattern: optionCode)).flatMap { $0.isASCII ? String($0) : nil }
            return CommandError(
                .usage, letter.map { "there is no option -\($0)" } ?? "no option is that letter", "see --help")
        }
        let given = word.split(separator: "=", maxSplits: 1).first.map(String.init) ?? word
        let name = String(given.drop { $0 == "-" })
        let starts = options.map(\.name).filter { $0.utf8.starts(with: name.utf8) }
        if starts.count > 1 {
            return CommandError(.usage, "\(given) is ambiguous", starts.map { "--\($0)" }.joined(separator: " or "))
        }
        let meant = NearestName.nearest(to: name, of: options.map(\.name))
        let remedy = meant.map { "did you mean --\($0)?" } ?? "see --help"
        return CommandError(.usage, "there is no option \(given)", remedy)
    }

    /// The words as C strings. getopt permutes the pointers.
    @safe private final class CArguments {
        var pointers: [UnsafeMutablePointer<CChar>?]
        let count: Int32
        private let owned: [UnsafeMutablePointer<CChar>?]

        init(_ words: [String]) {
            unsafe owned = words.map { unsafe strdup($0) } + [nil]
            unsafe pointers = owned
            count = Int32(words.count)
        }

        deinit { for index in 0..<Int(count) { unsafe free(owned[index]) } }
    }

    /// The options as a C table, ended by a row of zeros.
    @safe private final class COptionTable {
        let entries: UnsafeMutablePointer<option>
        private let count: Int

        init(_ options: [Option]) {
            count = options.count
            unsafe entries = .allocate(capacity: options.count + 1)
            for (index, entry) in options.enumerated() {
                let takesValue = entry.argument == nil ? no_argument : required_argument
                unsafe (entries + index).initialize(
                    to: option(
                        name: strdup(entry.name), has_arg: takesValue, flag: nil, val: firstCode + Int32(index)))
            }
            unsafe (entries + count).initialize(to: option())
        }

        deinit {
            for index in 0..<count { unsafe free(UnsafeMutableRawPointer(mutating: entries[index].name)) }
            unsafe entries.deallocate()
        }
    }
}
