/// Text from outside made fit for a notification (S3).
public enum NoticeText {
    /// How many characters (Unicode scalars) of a text are shown.
    public static let charactersMax = 200

    /// How many characters of an alert's title, and of its text, are shown: more than a payload has.
    public static let alertMax = 8_192
    /// How many lines of an alert's text are shown.
    public static let linesMax = 1_000

    /// `text` on one line, without what cannot be seen: a server draws `U+202E 4321 94+` as "+49 1234". What is longer
    /// than `max` characters is cut off.
    public static func clean(_ text: String, max: Int = charactersMax) -> String {
        var clean = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator:
                guard let last = clean.last, last != " " else { continue }
                clean.append(" ")
            case .format where scalar != "\u{200C}" && scalar != "\u{200D}": continue
            case .surrogate, .unassigned: continue
            default: clean.append(scalar)
            }
            count += 1
            guard count <= max else { return String(String.UnicodeScalarView(clean.dropLast())) + "…" }
        }
        return String(clean)
    }

    /// `text` with its line breaks, each line as ``clean(_:max:)`` has it: at most ``alertMax`` characters and
    /// ``linesMax`` lines, and never two empty ones in a row, which would push the rest off the screen.
    public static func cleanLines(_ text: String) -> String {
        var lines: [String] = []
        var left = alertMax
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let clean = clean(String(line), max: left)
            guard !(clean.isEmpty && lines.last?.isEmpty ?? true) else { continue }
            lines.append(clean)
            left -= clean.unicodeScalars.count + 1
            guard left > 0, lines.count < linesMax else { break }
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n")
    }

    /// Whether a shell reads `text` as it is, as a word of a command that is no option.
    static func isPlainWord(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= charactersMax && !text.hasPrefix("-")
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII && scalar.properties.isAlphabetic || "0123456789-._".unicodeScalars.contains(scalar)
            }
    }

    /// `text` as a server reads it that takes markup.
    public static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// What notifications say of themselves, in the person's language.
public struct NoticeWords: Hashable, Sendable {
    let accept, decline, silence, callBack, seen: String
    let incoming, incomingVideo, missed, missedVideo, missedMany, unknown, more, open: String
    private(set) var ongoing = OngoingWords(language: "en")

    /// The words for the language of `locale`, such as `de_DE.UTF-8`; English if there are none.
    public init(locale: String) {
        let language = locale.prefix { $0.isASCII && $0.isLetter }.lowercased()
        self = Self.table.first { $0.language == language }?.words ?? Self.english
        ongoing = OngoingWords(language: language)
    }

    private init(
        _ accept: String, _ decline: String, _ silence: String, _ callBack: String, _ seen: String,
        _ incoming: String, _ incomingVideo: String, _ missed: String, _ missedVideo: String, _ missedMany: String,
        _ unknown: String,
        _ more: String, _ open: String
    ) {
        self.accept = accept
        self.decline = decline
        self.silence = silence
        self.callBack = callBack
        self.seen = seen
        self.incoming = incoming
        self.incomingVideo = incomingVideo
        self.missed = missed
        self.missedVideo = missedVideo
        self.missedMany = missedMany
        self.unknown = unknown
        self.more = more
        self.open = open
    }

    /// What the button of `action` says.
    func label(of action: NoticeAction) -> String {
        switch action {
        case .accept, .standard: accept
        case .holdAndAccept: ongoing.holdAndAccept
        case .endAndAccept: ongoing.endAndAccept
        case .decline: decline
        case .silence: silence
        case .callBack: callBack
        case .seen: seen
        case .mute: ongoing.mute
        case .unmute: ongoing.unmute
        case .hold: ongoing.hold
        case .resume: ongoing.resume
        case .end: ongoing.end
        }
    }

    /// `text` with its `#` replaced by `count`.
    static func counted(_ text: String, _ count: Int) -> String {
        text.split(separator: "#", omittingEmptySubsequences: false).joined(separator: "\(count)")
    }

    private static let english = NoticeWords(
        "Accept", "Decline", "Silence", "Call back", "Seen", "Incoming call", "Incoming video call", "Missed call",
        "Missed video call", "# missed calls", "Unknown caller", "and # more", "Open")

    private static let table: [(language: String, words: NoticeWords)] = [
        ("en", english),
        (
            "de",
            NoticeWords(
                "Annehmen", "Ablehnen", "Lautlos", "Zurückrufen", "Gesehen", "Eingehender Anruf",
                "Eingehender Videoanruf",
                "Verpasster Anruf", "Verpasster Videoanruf", "# verpasste Anrufe", "Unbekannt", "und # weitere",
                "Öffnen")
        ),
        (
            "fr",
            NoticeWords(
                "Accepter", "Refuser", "Silence", "Rappeler", "Vu", "Appel entrant", "Appel vidéo entrant",
                "Appel manqué",
                "Appel vidéo manqué", "# appels manqués", "Inconnu", "et # autres", "Ouvrir")
        ),
        (
            "es",
            NoticeWords(
                "Aceptar", "Rechazar", "Silenciar", "Devolver la llamada", "Visto", "Llamada entrante",
                "Videollamada entrante",
                "Llamada perdida", "Videollamada perdida", "# llamadas perdidas", "Desconocido", "y # más", "Abrir")
        ),
        (
            "it",
            NoticeWords(
                "Accetta", "Rifiuta", "Silenzia", "Richiama", "Visto", "Chiamata in arrivo", "Videochiamata in arrivo",
                "Chiamata persa", "Videochiamata persa", "# chiamate perse", "Sconosciuto", "e altre #", "Apri")
        ),
        (
            "nl",
            NoticeWords(
                "Aannemen", "Weigeren", "Dempen", "Terugbellen", "Gezien", "Inkomende oproep", "Inkomende video-oproep",
                "Gemiste oproep", "Gemiste video-oproep", "# gemiste oproepen", "Onbekend", "en nog #", "Openen")
        ),
    ]
}
