/// What notifications say of calls that go on, in the person's language.
struct OngoingWords: Hashable, Sendable {
    let mute, unmute, hold, resume, end, holdAndAccept, endAndAccept: String
    let connecting, held, muted, calls: String
    /// With a `#` for the time.
    private let since: String

    /// The words for `language`, such as `de`; English if there are none.
    init(language: String) { self = Self.table.first { $0.language == language }?.words ?? Self.english }

    private init(
        buttons: (mute: String, unmute: String, hold: String, resume: String, end: String),
        accept: (hold: String, end: String), states: (connecting: String, held: String, muted: String),
        since: String, calls: String
    ) {
        (mute, unmute, hold, resume, end) = buttons
        (holdAndAccept, endAndAccept) = accept
        (connecting, held, muted) = states
        (self.since, self.calls) = (since, calls)
    }

    /// That a call is connected since `time`.
    func since(_ time: String) -> String {
        since.split(separator: "#", omittingEmptySubsequences: false).joined(separator: time)
    }

    private static let english = OngoingWords(
        buttons: ("Mute", "Unmute", "Hold", "Resume", "End"), accept: ("Hold & accept", "End & accept"),
        states: ("Connecting", "On hold", "Muted"), since: "since #", calls: "Calls in progress")

    private static let table: [(language: String, words: OngoingWords)] = [
        (
            "de",
            OngoingWords(
                buttons: ("Stummschalten", "Stumm aus", "Halten", "Fortsetzen", "Beenden"),
                accept: ("Halten & annehmen", "Beenden & annehmen"),
                states: ("Wird verbunden", "Gehalten", "Stumm"), since: "seit #", calls: "Laufende Anrufe")
        ),
        (
            "fr",
            OngoingWords(
                buttons: ("Couper le micro", "Rétablir le micro", "Mettre en attente", "Reprendre", "Raccrocher"),
                accept: ("Attente et accepter", "Raccrocher et accepter"),
                states: ("Connexion", "En attente", "Micro coupé"), since: "depuis #", calls: "Appels en cours")
        ),
        (
            "es",
            OngoingWords(
                buttons: ("Silenciar micrófono", "Activar micrófono", "Retener", "Reanudar", "Finalizar"),
                accept: ("Retener y aceptar", "Finalizar y aceptar"),
                states: ("Conectando", "En espera", "Micrófono silenciado"), since: "desde #",
                calls: "Llamadas en curso")
        ),
        (
            "it",
            OngoingWords(
                buttons: ("Disattiva microfono", "Attiva microfono", "Metti in attesa", "Riprendi", "Termina"),
                accept: ("Attesa e accetta", "Termina e accetta"),
                states: ("Connessione", "In attesa", "Microfono disattivato"), since: "da #",
                calls: "Chiamate in corso")
        ),
        (
            "nl",
            OngoingWords(
                buttons: ("Microfoon uit", "Microfoon aan", "In de wacht", "Hervatten", "Beëindigen"),
                accept: ("In de wacht en aannemen", "Beëindigen en aannemen"),
                states: ("Verbinden", "In de wacht", "Microfoon uit"), since: "sinds #", calls: "Lopende oproepen")
        ),
    ]
}
