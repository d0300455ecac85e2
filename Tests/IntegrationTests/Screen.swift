import BelfrySyscalls
import Glibc
import Support

/// An X server without a screen, and on it a notification server that the tests start, stop and choose in.
///
/// What it shows is kept as pictures in the folder that `BELFRY_TEST_SCREENSHOTS` names, if it does.
final class Screen {
    static let width = 1_024
    static let height = 768
    /// What is behind a call in dunst as it is set up here, and behind everything else.
    static let critical: UInt32 = 0x602020
    static let normal: UInt32 = 0x204060
    /// What a notification's background covers of the screen.
    static let oneNotification = 5_000...200_000

    let folder = TemporaryFolder()
    private let server: ChildProcess
    /// What `DISPLAY` names.
    let display: String

    init() throws {
        let pipe = try DescriptorPair.pipe()
        let size = "\(Self.width)x\(Self.height)x24"
        server = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/Xvfb",
                arguments: [
                    "-displayfd", "3", "-screen", "0", size, "-nolisten", "tcp", "-fbdir", folder.path,
                ],
                environment: inherited(), streams: [0: .null, 1: .null, 2: .null, 3: .descriptor(pipe.writing.number)]))
        pipe.writing.close()
        guard let number = LineReader(pipe.reading).next(within: 30_000) else {
            preconditionFailure("Xvfb did not start")
        }
        display = ":\(number)"
    }

    deinit {
        try? server.signal(SIGTERM)
        _ = try? server.waitUntilExit()
    }

    /// Starts dunst, whose menu chooses the line that the file `choice` holds, and waits until it has its name.
    func startDunst() throws -> ChildProcess {
        let menu = folder.write(
            Array("#!/bin/sh\ntee \(folder.path)/menu | grep -m1 -F -f \(folder.path)/choice\n".utf8), to: "dmenu")
        unsafe chmod(menu, 0o755)
        let configuration = """
            [global]
            font = Monospace 12
            width = 400
            height = 300
            origin = top-right
            offset = 10x10
            dmenu = \(menu)
            frame_width = 2
            min_icon_size = 64
            max_icon_size = 64
            icon_position = left
            sort = no
            [urgency_normal]
            background = "#204060"
            foreground = "#ffffff"
            frame_color = "#ffffff"
            [urgency_critical]
            background = "#602020"
            foreground = "#ffffff"
            frame_color = "#ffffff"
            """
        let file = folder.write(Array(configuration.utf8), to: "dunstrc")
        return try start("/usr/bin/dunst", ["-conf", file])
    }

    /// Starts a notification server at `path`, and waits until it has the bus name.
    func start(_ path: String, _ arguments: [String]) throws -> ChildProcess {
        let child = try ChildProcess(
            ChildCommand(
                path: path, arguments: arguments,
                environment: inherited().merging(["DISPLAY": display, "NO_AT_BRIDGE": "1"]) { $1 },
                streams: [0: .null, 1: .null, 2: .null]))
        let isThere = try waitUntil { try Self.owner() == child.pid }
        precondition(isThere, "\(path) did not take its name")
        return child
    }

    /// The process that shows notifications; nil if none does.
    static func owner() throws -> Int32? {
        let answer = try Bus.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.GetConnectionUnixProcessID",
            ["org.freedesktop.Notifications"])
        return answer.status.isSuccess ? Int32(answer.output.filter { $0.isNumber }.dropFirst(2)) : nil
    }

    /// Ends `server`, and waits until its name is free.
    static func end(_ server: ChildProcess, by signal: Int32 = SIGTERM) throws {
        try server.signal(signal)
        _ = try server.waitUntilExit()
        let isFree = try waitUntil { try owner() == nil }
        precondition(isFree, "the name is not free")
    }

    /// Chooses, in dunst's menu, the line that has `label` in it.
    func choose(_ label: String) throws {
        folder.write(Array("\(label)\n".utf8), to: "choice")
        _ = try run("/usr/bin/dunstctl", ["context"])
    }

    // MARK: Pixels

    /// What is on the screen: its pixels as `0xRRGGBB`, row by row.
    func pixels() -> [UInt32] {
        // An XWD image: a header of big-endian words, a table of colours, then 32 bits a pixel in the machine's order.
        let image = bytes(of: "\(folder.path)/Xvfb_screen0")
        func word(_ index: Int) -> Int {
            image[(index * 4)..<(index * 4 + 4)].reduce(0) { $0 << 8 | Int($1) }
        }
        guard image.count > 100 else { return [] }
        let start = word(0) + word(19) * 12
        let (width, height, bytesOfRow) = (word(4), word(5), word(12))
        var pixels: [UInt32] = []
        pixels.reserveCapacity(width * height)
        for row in 0..<height {
            for column in 0..<width {
                let at = start + row * bytesOfRow + column * 4
                pixels.append(UInt32(image[at + 2]) << 16 | UInt32(image[at + 1]) << 8 | UInt32(image[at]))
            }
        }
        return pixels
    }

    /// How many pixels have `colour`, give or take a little of each part.
    func count(of colour: UInt32, within tolerance: Int = 3) -> Int {
        pixels().count { pixel in
            [16, 8, 0].allSatisfy { shift in
                abs(Int(pixel >> shift & 0xFF) - Int(colour >> shift & 0xFF)) <= tolerance
            }
        }
    }

    /// Whether so many pixels come to have `colour`; keeps the picture as `name`.
    func shows(_ colour: UInt32, on range: ClosedRange<Int>, keepingAs name: String) -> Bool {
        let isSo = waitUntil { range.contains(count(of: colour)) }
        keep(name)
        return isSo
    }

    /// Where anything is drawn; nil if the screen is empty.
    func drawn() -> (left: Int, top: Int, right: Int, bottom: Int)? { Self.drawn(in: pixels()) }

    private static func drawn(in pixels: [UInt32]) -> (left: Int, top: Int, right: Int, bottom: Int)? {
        guard let background = pixels.first else { return nil }
        let drawn = pixels.indices.filter { pixels[$0] != background }
        guard let first = drawn.first, let last = drawn.last, let left = drawn.lazy.map({ $0 % width }).min(),
            let right = drawn.lazy.map({ $0 % width }).max()
        else { return nil }
        return (left, first / width, right, last / width)
    }

    // MARK: A mouse

    /// Clicks there, as a person does.
    func click(x: Int, y: Int) throws {
        _ = try run(
            "/usr/bin/xdotool", ["mousemove", "\(x)", "\(y)", "click", "1"], environment: ["DISPLAY": display])
    }

    /// Where the buttons of xfce4-notifyd's only notification begin, from left to right: in the row that goes through
    /// them all they are what is darker than the rest, and than its own shadow.
    func buttons() -> [(x: Int, y: Int)] {
        let pixels = pixels()
        guard let area = Self.drawn(in: pixels) else { return [] }
        let y = area.bottom - Self.buttonsAboveBottom
        guard y > area.top else { return [] }
        let row = (area.left + 2...area.right - 2).map { (x: $0, isButton: pixels[y * Self.width + $0] & 0xFF < 0xF5) }
        return zip(row, row.dropFirst()).filter { !$0.isButton && $1.isButton }.map { ($1.x, y) }
    }

    /// How far above its lower edge a notification's buttons have their middle.
    private static let buttonsAboveBottom = 22

    /// Clicks on that button, once it is there.
    func clickButton(_ number: Int) throws {
        guard waitUntil({ buttons().count > number }) else { throw StubServer.Nothing(what: "button \(number)") }
        let button = buttons()[number]
        try click(x: button.x + 4, y: button.y)
    }

    /// Keeps what is shown, without the empty screen around it.
    func keep(_ name: String) {
        guard let kept = Surroundings.value("BELFRY_TEST_SCREENSHOTS") else { return }
        let pixels = pixels()
        guard let area = Self.drawn(in: pixels) else { return }
        let part = (area.top...area.bottom).flatMap { row in
            pixels[(row * Self.width + area.left)...(row * Self.width + area.right)]
        }
        let image = SmallPNG.picture(width: area.right - area.left + 1, pixels: part)
        let descriptor = unsafe open("\(kept)/\(name).png", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return }
        _ = unsafe image.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
    }
}

/// The session bus, as a foreign program uses it.
enum Bus {
    /// Calls `method` by gdbus(1).
    static func call(
        _ name: String, _ path: String, _ method: String, _ arguments: [String]
    ) throws -> Finished {
        try run(
            "/usr/bin/gdbus",
            ["call", "--session", "--timeout", "20", "--dest", name, "--object-path", path, "--method", method]
                + arguments)
    }
}
