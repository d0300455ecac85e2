import BelfryCommandLine
import BelfrySettings
import BelfryTerms

/// The manual pages, made of the tables that the program itself goes by.
enum ManualPage: String, CaseIterable {
    /// The command line.
    case belfry = "belfry.1"
    /// The worker.
    case worker = "belfry-worker.8"
    /// The desktop's part.
    case desktop = "belfry-desktop.8"
    /// The APNs endpoint.
    case endpoint = "belfry-apns.8"
    /// The configuration.
    case configuration = "belfry.conf.5"

    /// The page, for man(1).
    var text: String {
        var page = RoffText(page: self)
        switch self {
        case .belfry: Self.writeCommands(to: &page)
        case .worker: Self.writeWorker(to: &page)
        case .desktop: Self.writeDesktop(to: &page)
        case .endpoint: Self.writeEndpoint(to: &page)
        case .configuration: Self.writeConfiguration(to: &page)
        }
        return page.text
    }

    fileprivate var summary: String {
        switch self {
        case .belfry: "ring for incoming calls on Linux, look at them, answer and end them"
        case .worker: "handle one notification as an iOS notification service extension does"
        case .desktop: "show calls and missed calls on the desktop"
        case .endpoint: "take pushes as Apple's push service does"
        case .configuration: "settings of Belfry"
        }
    }

    private static func writeCommands(to page: inout RoffText) {
        page.synopsis(["belfry COMMAND [OPTION]... [ARGUMENT]..."])
        page.section("DESCRIPTION")
        page.paragraph(
            "Belfry rings for incoming calls as a phone does. A push server, or anything in its place, hands it"
                + " notifications at a socket; this is the command line for people and scripts."
                + " Without an ID, hangup, answer and decline mean the call that rings loud.")
        page.section("COMMANDS")
        for command in Program.commands {
            page.subsection(command.name)
            page.lines(command.synopsis.map { "belfry " + $0 })
            page.paragraph(command.summary.prefix(1).uppercased() + command.summary.dropFirst() + ".")
            for part in command.details.split(separator: "\n\n") { page.paragraph(String(part)) }
            for option in command.options { page.item(option.spelling, option.summary) }
        }
        page.section("OPTIONS")
        page.paragraph("Every command takes these, before or after its name.")
        for option in Option.common { page.item(option.spelling, option.summary) }
        page.section("EXIT STATUS")
        for row in HelpText.exitStatuses { page.item(row[0], row[1]) }
        page.section("FILES")
        page.item("$XDG_RUNTIME_DIR/belfry/push.sock", "the push socket")
        page.item("~/.local/state/belfry", "the groups' files, and callers' pictures")
        page.section("SEE ALSO")
        page.paragraph(
            "belfry.conf(5), belfry-worker(8), belfry-desktop(8), belfry-apns(8), systemd.socket(5)")
    }

    private static func writeWorker(to page: inout RoffText) {
        page.synopsis(WorkerForm.all.map(\.command))
        page.section("DESCRIPTION")
        page.paragraph(
            "systemd starts one worker for each connection of belfry.socket. It reads one notification on standard"
                + " input, rings if that is a call, writes its events on standard output, one JSON object a line, and"
                + " ends. People use belfry(1).")
        for form in WorkerForm.all { page.item(form.command, form.meaning) }
        page.section("EXIT STATUS")
        for row in WorkerForm.exitStatuses { page.item(row[0], row[1]) }
        page.section("ENVIRONMENT")
        page.paragraph("Each setting of belfry.conf(5) has a variable. The worker's are those of its unit:")
        page.lines(["systemctl --user edit belfry@.service"])
        page.section("FILES")
        page.item("belfry.socket", "listens, and starts workers")
        page.item("belfry-tidy.service", "runs after a worker died, and records its call as missed")
        page.section("SEE ALSO")
        page.paragraph("belfry(1), belfry.conf(5), journalctl(1)")
    }

    private static func writeDesktop(to page: inout RoffText) {
        page.synopsis(["belfry-desktop"])
        page.section("DESCRIPTION")
        page.paragraph(
            "systemd starts it for the first call once belfry-desktop.socket is enabled, and the session bus for who"
                + " calls org.belfry.Calls1. It has the notification server of the desktop show who calls, with buttons"
                + " to accept and to decline, and whose call was missed. It leaves 10 s after the last call, unless"
                + " something is shown in which a person can choose. Calls ring without it, too.")
        page.lines(["systemctl --user enable --now belfry-desktop.socket"])
        page.section("EXIT STATUS")
        page.item("0", "nothing was left to be done")
        page.item("64", "wrong usage, or started without its socket")
        page.item("70", "a defect of Belfry")
        page.item("78", "there is no telling where the state is kept")
        page.section("ENVIRONMENT")
        page.paragraph("Each setting of belfry.conf(5) has a variable; those of [Desktop] are for it. Its unit's:")
        page.lines(["systemctl --user edit belfry-desktop.service"])
        page.section("FILES")
        page.item("$XDG_RUNTIME_DIR/belfry/desktop.sock", "where workers tell it of their calls")
        page.item("$XDG_RUNTIME_DIR/belfry/desktop.shown", "what is shown, for its next start")
        page.section("SEE ALSO")
        page.paragraph("belfry(1), belfry-worker(8), belfry.conf(5), busctl(1)")
    }

    private static func writeEndpoint(to page: inout RoffText) {
        page.synopsis(["belfry-apns --listeners N"])
        page.section("DESCRIPTION")
        page.paragraph(
            "An endpoint that push servers talk to as they talk to Apple's: HTTP/2 over TLS, tokens or certificates,"
                + " and Apple's answers. What is accepted for a device is kept until that takes it, and handed to the"
                + " push socket of belfry-worker(8). systemd starts it for belfry-apns.socket, with N listening"
                + " sockets from descriptor 3 on.")
        page.lines(["systemctl --user enable --now belfry-apns.socket"])
        page.paragraph("Who may push, which devices there are and what became of pushes is told by")
        page.lines(["belfry apns --help", "belfry device --help"])
        page.section("FILES")
        page.item("~/.local/state/belfry/credentials", "who may push, and the authority to trust")
        page.item("~/.local/state/belfry/devices", "the devices' tokens")
        page.item("~/.local/state/belfry/apns", "pushes that wait")
        page.section("SEE ALSO")
        page.paragraph("belfry(1), belfry-worker(8), belfry.conf(5)")
    }

    private static func writeConfiguration(to page: inout RoffText) {
        page.synopsis([
            "/etc/belfry/belfry.conf", "/etc/belfry/belfry.conf.d/*.conf", "~/.config/belfry/belfry.conf",
            "~/.config/belfry/belfry.conf.d/*.conf",
        ])
        page.section("DESCRIPTION")
        page.paragraph(
            "Files are read in this order, and what comes later wins; variables of the environment come last. The"
                + " syntax is that of systemd's files. A wrong value is passed over, and every notification says so."
                + " What is in force, and where it was written, is shown by")
        page.lines(["belfry config"])
        var section = ""
        for setting in Setting.allCases {
            if setting.section != section {
                section = setting.section
                page.section("[\(section)]")
            }
            let value = Settings().text(of: setting)
            page.item(
                "\(setting.key)=",
                "\(setting.meaning). Expected: \(setting.expectation). Default: \(value.isEmpty ? "none" : value)."
                    + " Variable: \(setting.environmentVariable).")
        }
        page.section("SEE ALSO")
        page.paragraph("belfry(1), belfry-worker(8), systemd.syntax(7)")
    }
}

/// How belfry-worker(8) is started.
enum WorkerForm {
    /// Every form, and what it does.
    static let all: [(command: String, meaning: String)] = [
        ("belfry-worker", "read one notification on standard input, write its events on standard output"),
        ("belfry-worker --extension NAME.appex", "the same with this extension of your own"),
        ("belfry-worker --host", "keep the extension's process, for [Extension] Strict= and Reuse="),
        ("belfry-worker --lend SOCKET", "lend an extension's channel to its tests, which serve SOCKET"),
        ("belfry-worker --tidy", "settle what workers that died have left behind"),
    ]

    /// How it ends.
    static let exitStatuses = [
        ["0", "the notification was handled"], ["64", "wrong usage"], ["65", "the notification was rejected"],
        ["70", "a defect of Belfry"], ["74", "what became of the call could be recorded nowhere"],
    ]
}

/// Text for man(1), in the macros of man(7).
private struct RoffText {
    private(set) var text: String

    init(page: ManualPage) {
        let (name, section) = (page.rawValue.dropLast(2), page.rawValue.suffix(1))
        text = """
            .\\" Written by "make pages" from the program's own tables.
            .TH \(name.uppercased()) \(section) "" "\(Program.version)" "Belfry"
            .SH NAME
            \(Self.escaped(String(name))) \\- \(Self.escaped(page.summary))

            """
    }

    mutating func section(_ title: String) { text += ".SH \(Self.quoted(title))\n" }

    mutating func subsection(_ title: String) { text += ".SS \(Self.quoted(title))\n" }

    mutating func synopsis(_ forms: [String]) {
        section("SYNOPSIS")
        lines(forms)
    }

    /// Lines that stay as they are, in bold.
    mutating func lines(_ lines: [String]) {
        text += ".PP\n.nf\n" + lines.map { ".B \(Self.quoted($0))\n" }.joined() + ".fi\n"
    }

    mutating func paragraph(_ words: String) { text += ".PP\n" + Self.filled(words) }

    /// A word, and below it what it means.
    mutating func item(_ word: String, _ meaning: String) {
        text += ".TP\n.B \(Self.quoted(word))\n" + Self.filled(meaning)
    }

    /// `words`, with what stands between backticks in bold.
    private static func filled(_ words: String) -> String {
        let parts = words.split(separator: "`", omittingEmptySubsequences: false).map { escaped(String($0)) }
        let marked = parts.enumerated().map { $0.offset % 2 == 1 ? "\\fB\($0.element)\\fR" : $0.element }.joined()
        // A line that began with a full stop or a quote would be a macro.
        return marked.split(separator: "\n").map { (".'".contains($0.prefix(1)) ? "\\&" : "") + $0 }
            .joined(separator: "\n") + "\n"
    }

    private static func quoted(_ words: String) -> String {
        "\"" + escaped(words).replacing("\"", with: "\"\"") + "\""
    }

    private static func escaped(_ words: String) -> String {
        words.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("~", with: "\\(ti")
            .replacing("^", with: "\\(ha").replacing("…", with: "...")
    }
}
