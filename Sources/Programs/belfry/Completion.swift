import BelfryCommandLine

/// What completes belfry's command lines in a shell, made of the tables that the program itself goes by.
///
/// Ids come from whoever pushes, and a shell may take what it is given for code: those of plain letters alone are
/// offered.
enum Completion: String, CaseIterable {
    case bash
    case zsh
    case fish

    /// The script.
    var text: String {
        switch self {
        case .bash: Self.bashText
        case .zsh: Self.zshText
        case .fish: Self.fishText
        }
    }

    /// Prints the ids of calls, of which `belfry calls --json` tells one a line, the id first.
    private static let idsFilter = #"sed -n 's/^{"call":"\([A-Za-z0-9][A-Za-z0-9._@+-]*\)".*/\1/p'"#

    private static var commands: [Command] { Program.commands }

    /// Every option that takes an argument: what follows it is no command.
    private static var optionsWithArgument: [Option] {
        var seen: Set<String> = []
        return (Option.common + commands.flatMap(\.options)).filter {
            $0.argument != nil && seen.insert($0.name).inserted
        }
    }

    private static func options(of command: Command?) -> [String] {
        ((command?.options ?? []) + Option.common).map { "--\($0.name)" }
    }

    // MARK: bash and zsh

    private static var bashText: String {
        """
        # bash completion for belfry(1). Written by "make pages" from the program's own tables.
        _belfry_ids() {
            belfry calls "$@" --json 2>/dev/null | \(idsFilter)
        }

        _belfry() {
            local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command='' wanted='' i
            COMPREPLY=()
            for ((i = 1; i < COMP_CWORD; i++)); do
                case ${COMP_WORDS[i]} in
                    \(skipped)) ((i++)) ;;
                    -*) ;;
                    *)
                        command=${COMP_WORDS[i]}
                        break
                        ;;
                esac
            done
            case $previous in
        \(valueCases(paths: bashFiles))
            esac
            if [[ -z $wanted && $current == -* ]]; then
                case $command in
        \(optionCases)
                esac
            elif [[ -z $wanted ]]; then
                case $command in
        \(argumentCases(files: bashFiles, line: "${COMP_LINE}"))
                esac
            fi
            mapfile -t COMPREPLY < <(compgen -W "$wanted" -- "$current")
        }

        complete -F _belfry belfry

        """
    }

    private static var zshText: String {
        """
        #compdef belfry
        # zsh completion for belfry(1). Written by "make pages" from the program's own tables.
        _belfry_ids() {
            belfry calls "$@" --json 2>/dev/null | \(idsFilter)
        }

        _belfry() {
            local previous=${words[CURRENT-1]} command='' wanted='' i
            for ((i = 2; i < CURRENT; i++)); do
                case ${words[i]} in
                    \(skipped)) ((i++)) ;;
                    -*) ;;
                    *)
                        command=${words[i]}
                        break
                        ;;
                esac
            done
            case $previous in
        \(valueCases(paths: "_files; return"))
            esac
            if [[ -z $wanted && $PREFIX == -* ]]; then
                case $command in
        \(optionCases)
                esac
            elif [[ -z $wanted ]]; then
                case $command in
        \(argumentCases(files: "_files; return", line: "${words[*]}"))
                esac
            fi
            compadd -- ${=wanted}
        }

        _belfry "$@"

        """
    }

    /// The options whose argument is no command, as a pattern.
    private static var skipped: String { optionsWithArgument.map { "--\($0.name)" }.joined(separator: "|") }

    private static let bashFiles =
        #"compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return"#

    private static func wanted(_ words: [String]) -> String { "wanted='\(words.joined(separator: " "))'" }

    /// What an option's argument may be, for each that takes one.
    private static func valueCases(paths: String) -> String {
        optionsWithArgument.map { option in
            let other = option.argument == "PATH" ? paths : "return"
            return "        --\(option.name)) \(option.values.isEmpty ? other : wanted(option.values)) ;;"
        }.joined(separator: "\n")
    }

    /// The options of each command.
    private static var optionCases: String {
        let cases =
            commands.filter { !$0.options.isEmpty }.map { ($0.name, options(of: $0)) } + [("*", options(of: nil))]
        return cases.map { "            \($0.0)) \(wanted($0.1)) ;;" }.joined(separator: "\n")
    }

    /// What the arguments of each command may be, and the commands themselves; `line` is what has been typed.
    private static func argumentCases(files: String, line: String) -> String {
        let names = wanted(commands.map(\.name))
        let cases = commands.compactMap { command -> String? in
            let body: String
            switch command.completes {
            case .nothing: return nil
            case .words(let known): body = wanted(known)
            case .ringingCall: body = "wanted=$(_belfry_ids)"
            case .missedCall: body = "[[ \(line) != *--clear-missed* ]] || wanted=$(_belfry_ids --missed)"
            case .command: body = names
            case .path: body = files
            }
            return "            \(command.name)) \(body) ;;"
        }
        return (["            '') \(names) ;;"] + cases).joined(separator: "\n")
    }

    // MARK: fish

    private static var fishText: String {
        var lines = [
            "# fish completion for belfry(1). Written by \"make pages\" from the program's own tables.",
            "function __belfry_ids",
            "    belfry calls $argv --json 2>/dev/null | \(idsFilter)",
            "end",
            "complete -c belfry -f",
        ]
        for command in commands {
            lines.append(
                "complete -c belfry -n __fish_use_subcommand -a \(command.name) -d \(fishQuoted(command.summary))")
        }
        for option in Option.common { lines.append("complete -c belfry \(fishOption(option))") }
        for command in commands {
            let start = "complete -c belfry -n '__fish_seen_subcommand_from \(command.name)'"
            for option in command.options { lines.append("\(start) \(fishOption(option))") }
            switch command.completes {
            case .nothing: break
            case .words(let known): lines.append("\(start) -a '\(known.joined(separator: " "))'")
            case .ringingCall: lines.append("\(start) -a '(__belfry_ids)'")
            case .missedCall:
                let cleared = "__fish_seen_subcommand_from \(command.name); and __fish_contains_opt clear-missed"
                lines.append("complete -c belfry -n '\(cleared)' -a '(__belfry_ids --missed)'")
            case .command: lines.append("\(start) -a '\(commands.map(\.name).joined(separator: " "))'")
            case .path: lines.append("\(start) -F")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func fishOption(_ option: Option) -> String {
        let letter = option.name == "help" ? "-s h " : ""
        let values =
            if option.argument == nil { "" } else if !option.values.isEmpty {
                "-x -a '\(option.values.joined(separator: " "))' "
            } else { option.argument == "PATH" ? "-r -F " : "-x " }
        return "\(letter)-l \(option.name) \(values)-d \(fishQuoted(option.summary))"
    }

    private static func fishQuoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
