/// Text from outside made fit for a notification (S3).
public enum NoticeText {
    /// How many characters (Unicode scalars) of a text are shown.
    static let charactersMax = 200

    /// `text` on one line, without what cannot be seen: a server draws `U+202E 4321 94+` as "+49 1234". What is too
    /// long is cut off.
    public static func clean(_ text: String) -> String {
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where clean.count <= charactersMax {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator:
                if clean.last != " ", !clean.isEmpty { clean.append(" ") }
            case .format where scalar != "\u{200C}" && scalar != "\u{200D}": break
            case .surrogate, .unassigned: break
            default: clean.append(scalar)
            }
        }
        guard clean.count > charactersMax else { return String(clean) }
        return String(String.UnicodeScalarView(clean.prefix(charactersMax))) + "…"
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
    let incoming, incomingVideo, missed, missedVideo, missedMany, unknown, more: String

    /// The words for the language of `locale`, such as `de_DE.UTF-8`; English if there are none.
    public init(locale: String) {
        let language = locale.prefix { $0.isASCII && $0.isLetter }.lowercased()
        self = Self.table.first { $0.language == language }?.words ?? Self.english
    }

    private init(
        _ accept: String, _ decline: String, _ silence: String, _ callBack: String, _ seen: String,
        _ incoming: String, _ incomingVideo: String, _ missed: String, _ missedVideo: String, _ missedMany: String,
        _ unknown: String,
        _ more: String
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
    }

    /// `text` with its `#` replaced by `count`.
    static func counted(_ text: String, _ count: Int) -> String {
        text.split(separator: "#", omittingEmptySubsequences: false).joined(separator: "\(count)")
    }

    private static let english = NoticeWords(
        "Accept", "Decline", "Silence", "Call back", "Seen", "Incoming call", "Incoming video call", "Missed call",
        "Missed video call", "# missed calls", "Unknown caller", "and # more")

    private static let table: [(language: String, words: NoticeWords)] = [
        ("en", english),
        (
            "de",
            NoticeWords(
                "Annehmen", "Ablehnen", "Lautlos", "Zurückrufen", "Gesehen", "Eingehender Anruf",
                "Eingehender Videoanruf",
                "Verpasster Anruf", "Verpasster Videoanruf", "# verpasste Anrufe", "Unbekannt", "und # weitere")
        ),
        (
            "fr",
            NoticeWords(
                "Accepter", "Refuser", "Silence", "Rappeler", "Vu", "Appel entrant", "Appel vidéo entrant",
                "Appel manqué",
                "Appel vidéo manqué", "# appels manqués", "Inconnu", "et # autres")
        ),
        (
            "es",
            NoticeWords(
                "Aceptar", "Rechazar", "Silenciar", "Devolver la llamada", "Visto", "Llamada entrante",
                "Videollamada entrante",
                "Llamada perdida", "Videollamada perdida", "# llamadas perdidas", "Desconocido", "y # más")
        ),
        (
            "it",
            NoticeWords(
                "Accetta", "Rifiuta", "Silenzia", "Richiama", "Visto", "Chiamata in arrivo", "Videochiamata in arrivo",
                "Chiamata persa", "Videochiamata persa", "# chiamate perse", "Sconosciuto", "e altre #")
        ),
        (
            "nl",
            NoticeWords(
                "Aannemen", "Weigeren", "Dempen", "Terugbellen", "Gezien", "Inkomende oproep", "Inkomende video-oproep",
                "Gemiste oproep", "Gemiste video-oproep", "# gemiste oproepen", "Onbekend", "en nog #")
        ),
    ]
}
