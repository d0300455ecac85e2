import BelfryBus
import BelfryEventLoop
import BelfryTerms
import Showing

/// The desktop's notification server (`org.freedesktop.Notifications`), whichever program it is.
///
/// Calls go to the unique name that has the well-known one: another server, whose numbers start over, never gets them
/// (S6). Answers are awaited as long as it takes: a server that is stopped shows what it was asked to once it goes on.
final class NotificationServer {
    static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    /// Whose settings these are, where a desktop has some for each program: org.belfry.Belfry.desktop.
    private static let desktopEntry = "org.belfry.Belfry"
    /// How long the bus is not asked again to start a server.
    private static let activationInterval = TimeSpan.seconds(5)

    /// Why a notification was closed: the person did it (Desktop Notifications Specification, NotificationClosed).
    private static let dismissed: UInt32 = 2

    /// What the server says.
    enum Input {
        /// It is there now, or there anew.
        case isThere(NoticeServer)
        /// There is none, but one may be started once there is something to show.
        case isNotRunning
        /// There is none, and why.
        case isAbsent(String)
        /// It shows what this token stands for, as this.
        case shown(Int64, UInt32)
        /// It would not, and why.
        case refused(Int64, String)
        /// It has closed this, for the person if `byPerson`.
        case closed(UInt32, byPerson: Bool)
        /// The person chose this in that.
        case chosen(UInt32, String)
    }

    private let loop: Loop
    private let hasDisplay: Bool
    private let missingMenu: (Int64) -> String?
    private let take: (Input) -> Void
    private var bus: SessionBus?
    /// Who has the name.
    private var owner: String?
    /// Whose numbers are known here (S6): for a while not yet who has the name.
    private var known: String?
    private var activatedAt: Instant?

    /// - Parameters:
    ///   - hasDisplay: whether this process's own environment names a display; the manager is asked if not.
    ///   - missingMenu: the menu program of the dunst with this process id, if it is not there.
    init(
        on loop: Loop, hasDisplay: Bool, missingMenu: @escaping (Int64) -> String? = { _ in nil },
        _ take: @escaping (Input) -> Void
    ) {
        self.loop = loop
        self.hasDisplay = hasDisplay
        self.missingMenu = missingMenu
        self.take = take
    }

    /// Whether it is known who the server is, or that there is none.
    private(set) var isKnown = false

    /// Looks who the server is on `bus`.
    func connected(to bus: SessionBus) {
        self.bus = bus
        (owner, known) = (nil, nil)
        isKnown = false
        activatedAt = nil
        bus.callBus("AddMatch", [.string("type='signal',path='\(Self.path)',interface='\(Self.name)'")])
        bus.callBus("GetNameOwner", [.string(Self.name)]) { [weak self, weak bus] answer in
            // A signal that came before the answer is newer than it.
            guard let self, let bus, bus === self.bus, owner == nil else { return }
            isKnown = true
            if case .success(let values) = answer, let name = values.first?.text {
                found(name)
            } else {
                take(.isNotRunning)
            }
        }
    }

    /// The bus is lost, for this reason.
    func lost(_ why: String) {
        bus = nil
        (owner, known) = (nil, nil)
        take(.isAbsent(why))
    }

    /// Takes a signal; true if it was the server's.
    func take(_ message: BusMessage) -> Bool {
        let values = message.arguments
        if message.interface == "org.freedesktop.DBus", message.member == "NameOwnerChanged" {
            guard values.count == 3, values[0].text == Self.name, let new = values[2].text else { return false }
            if new.isEmpty { gone() } else { found(new) }
            return true
        }
        guard message.interface == Self.name, message.sender == known, let id = values.first?.number else {
            return false
        }
        switch message.member {
        case "NotificationClosed":
            take(.closed(id, byPerson: values.count > 1 && values[1].number == Self.dismissed))
        case "ActionInvoked": if values.count > 1, let key = values[1].text { take(.chosen(id, key)) }
        default: break
        }
        return true
    }

    private func found(_ name: String) {
        // `known` stays the old one until the new one has answered: meanwhile neither is asked to show anything.
        owner = name
        bus?.call(name, Self.path, Self.name, "GetServerInformation") { [weak self] answer in
            guard let self, owner == name else { return }
            if (try? answer.get())?.first?.text == "dunst" { askForMenu(name) } else { ask(name, lacksMenu: false) }
        }
    }

    private func askForMenu(_ name: String) {
        bus?.callBus("GetConnectionUnixProcessID", [.string(name)]) { [weak self] answer in
            guard let self, owner == name else { return }
            let process = (try? answer.get())?.first?.number.map(Int64.init)
            ask(name, lacksMenu: process.flatMap(missingMenu) != nil)
        }
    }

    private func ask(_ name: String, lacksMenu: Bool) {
        bus?.call(name, Self.path, Self.name, "GetCapabilities") { [weak self] answer in
            guard let self, owner == name else { return }
            let words = (try? answer.get())?.first?.texts ?? []
            known = name
            take(
                .isThere(
                    NoticeServer(
                        owner: name, hasActions: words.contains("actions"), readsMarkup: words.contains("body-markup"),
                        lacksMenu: lacksMenu)))
        }
    }

    private func gone() {
        (owner, known) = (nil, nil)
        take(.isAbsent("the notification server has left the bus"))
    }

    // MARK: Starting one

    /// Has the bus start a server if there is none, and a display on which it could show anything: one without dies,
    /// and leaves a failed unit behind.
    func start() {
        guard let bus, owner == nil, isKnown else { return }
        if let activatedAt, loop.now - activatedAt < Self.activationInterval { return }
        activatedAt = loop.now
        guard !hasDisplay else { return activate() }
        let manager = "org.freedesktop.systemd1"
        bus.call(
            manager, "/org/freedesktop/systemd1", "org.freedesktop.DBus.Properties", "Get",
            [.string("\(manager).Manager"), .string("Environment")]
        ) { [weak self] answer in
            guard let self, owner == nil else { return }
            let variables = (try? answer.get())?.first?.unwrapped.texts ?? []
            let isThere = variables.contains { $0.hasPrefix("DISPLAY=") || $0.hasPrefix("WAYLAND_DISPLAY=") }
            if isThere { activate() } else { take(.isAbsent("no notification server runs, and there is no display")) }
        }
    }

    private func activate() {
        bus?.callBus("StartServiceByName", [.string(Self.name), .uint32(0)]) { [weak self] answer in
            guard let self, owner == nil, case .failure(let failure) = answer else { return }
            take(.isAbsent("no notification server: \(failure.text)"))
        }
    }

    // MARK: Showing

    /// Has `notice` shown in place of `replaces`. While the name changes hands nothing is asked: its next owner is
    /// asked for everything.
    func notify(_ token: Int64, replaces: UInt32, _ notice: Notice, picture: BusValue?, readsMarkup: Bool) {
        guard let bus, let known else { return take(.refused(token, "no notification server")) }
        guard known == owner else { return }
        var hints: [(String, BusValue)] = [
            ("urgency", .byte(notice.urgency.rawValue)), ("desktop-entry", .string(Self.desktopEntry)),
        ]
        if !notice.category.isEmpty { hints.append(("category", .string(notice.category))) }
        // The last one is Phosh's, which would ring itself for this category, and vibrate.
        if notice.isRinging {
            hints += [
                ("suppress-sound", .bool(true)), ("resident", .bool(true)), ("x-phosh-fb-profile", .string("none")),
            ]
        }
        if notice.isOngoing { hints += [("suppress-sound", .bool(true)), ("resident", .bool(true))] }
        // Its worker sounds it, once, or it has no sound.
        if !notice.isCall { hints.append(("suppress-sound", .bool(true))) }
        if let picture { hints.append(("image-data", picture)) }
        let expiry: Int32 =
            switch (notice.until, notice.isCall) {
            case (let until?, _): Int32(clamping: max(1, (until - loop.now).microseconds / 1_000))
            case (nil, false): -1
            case (nil, true): 0
            }
        bus.call(
            known, Self.path, Self.name, "Notify",
            [
                .string("Belfry"), .uint32(replaces), .string(""), .string(notice.summary),
                .string(readsMarkup ? NoticeText.escaped(notice.body) : notice.body),
                .strings(notice.actions.flatMap { [$0.action.rawValue, $0.text] }), .properties(hints), .int32(expiry),
            ]
        ) { [weak self] answer in
            switch answer {
            case .success(let values):
                guard let id = values.first?.number else { return }
                self?.take(.shown(token, id))
            case .failure(let failure): self?.take(.refused(token, "\(failure.name): \(failure.text)"))
            }
        }
    }

    /// Has `id` closed.
    func close(_ id: UInt32) {
        guard let bus, let known else { return }
        bus.call(known, Self.path, Self.name, "CloseNotification", [.uint32(id)])
    }
}
