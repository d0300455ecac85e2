public import BelfryProtocol
import BelfrySyscalls
public import BelfryTerms
public import DesktopChannel
import Glibc

/// The original of a notification that a foreign extension has, in the runtime directory. If the worker is killed,
/// whoever tidies up after it delivers it from there (R12).
///
/// The file has the lines that a worker would have written to the desktop: its hello, `received`, `extension`, and
/// `delivered` of the original, by `crash`.
public final class LaidOriginal {
    private static let folderName = "originals"
    /// Larger than what a notification of 64 KiB may become.
    private static let bytesMax = 1 << 20
    /// How many are looked at.
    private static let namesMax = 10_000

    private let runtimePath: String
    private let hello: DesktopHello
    private var received: Event?
    /// Whether it is shown if no reply comes (R2).
    public var isShown = true
    private var folder: Directory?

    private static var ownName: String {
        let own = ProcessIdentity.current
        return "\(own.pid)-\(own.startTicks)"
    }

    /// None yet, for the runtime directory at `runtimePath`; `hello` is the worker's first line to the desktop.
    public init(in runtimePath: String, hello: DesktopHello) {
        self.runtimePath = runtimePath
        self.hello = hello
    }

    /// Hears the worker's events: what was delivered needs no original any more.
    public func heard(_ event: Event) {
        if case .received = event.body { received = event }
        guard case .delivered = event.body, folder != nil else { return }
        try? folder?.remove(Self.ownName)
        folder = nil
    }

    /// Lays `content` down, if that is possible, after `received` was heard.
    public func lay(_ content: NotificationContent) {
        guard let received else { return }
        let rest: [Event.Body] = [
            .extensionProcess(.init(state: .ended, seconds: 0)),
            .delivered(by: .crash, content: content, isShown: isShown),
        ]
        let lines = rest.map { Event(at: received.at, boot: received.boot, id: received.id, body: $0).line }
        do throws(SystemError) {
            let folder = try Self.folder(in: runtimePath, makes: true)
            let bytes = hello.line + received.line + lines.flatMap(\.self)
            try folder.write(bytes, as: Self.ownName, aside: "\(Self.ownName).part")
            self.folder = consume folder
        } catch {
            // A full or missing runtime directory: of a worker that is killed the notification is lost then.
        }
    }

    private static func folder(in runtimePath: String, makes: Bool) throws(SystemError) -> Directory {
        try Directory.open(path: runtimePath, makes: makes).openDirectory(folderName, makes: makes)
    }

    /// Those that dead workers have left in the runtime directory at `runtimePath`.
    public static func left(in runtimePath: String) -> [LeftOriginal] {
        guard let folder = try? folder(in: runtimePath, makes: false) else { return [] }
        let names = (try? folder.names(max: namesMax)) ?? []
        return names.sorted().compactMap { name in
            let numbers = name.split(separator: ".")[0].split(separator: "-")
            let pid = numbers.first.flatMap { Int32($0) }
            guard let pid, let start = numbers.dropFirst().first.flatMap({ UInt64($0) }),
                !ProcessIdentity(pid: pid, startTicks: start).isAlive
            else { return nil }
            // What cannot be read, or was never whole, is nothing to keep.
            guard let bytes = (try? folder.read(name, bytesMax: bytesMax))??.bytes,
                let original = LeftOriginal(bytes, name: name, runtimePath: runtimePath)
            else {
                try? folder.remove(name)
                return nil
            }
            return original
        }
    }

    /// Removes `original`, which was delivered.
    public static func remove(_ original: LeftOriginal) {
        try? folder(in: original.runtimePath, makes: false).remove(original.name)
    }
}

/// An original that a dead worker has left.
public struct LeftOriginal {
    /// What the desktop is to hear.
    public let lines: [UInt8]
    /// The notification's app group.
    public let group: GroupName
    /// The events in it.
    public let events: [Event]
    fileprivate let name: String
    fileprivate let runtimePath: String

    fileprivate init?(_ bytes: [UInt8], name: String, runtimePath: String) {
        var lines = bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
        guard bytes.last == UInt8(ascii: "\n"), lines.count == 4,
            let hello = DesktopHello(line: lines.removeFirst())
        else { return nil }
        group = hello.group
        events = lines.compactMap { try? Event(line: $0) }
        guard events.count == 3, case .delivered = events[2].body else { return nil }
        self.lines = bytes
        self.name = name
        self.runtimePath = runtimePath
    }
}
