import BelfryAppGroup
import BelfryApps
import BelfryEventLoop
import BelfryJournal
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import CallChannel
import CallControl
import CallDirectory
import Glibc
import RingEar
import Support
import Testing

@testable import CallCentre

/// A centre in a folder of its own, behind a real socket, with a decider that only notes what it hears, or the real
/// one.
final class CentreEnd {
    let folder = TemporaryFolder()
    let loop: Loop
    let decider = NotedInputs()
    private(set) var isIdle = false
    private(set) var isOutdated = false
    private(set) var centre: Centre?
    private let listener: OwnedDescriptor
    /// Where the journal of a centre that decides goes, and is not read.
    private let journal: OwnedDescriptor

    static let group = GroupName("group.test") ?? { preconditionFailure("no group") }()

    /// With `script` there is one app, `com.example.phone`, whose program that is, in each of `folders`. `decides` has
    /// the real decider decide.
    init(
        script: String? = nil, folders: [String] = ["Phone.app"], decides: Bool = false,
        lookUp: NumberLookUp? = nil, idleMax: TimeSpan = .seconds(10), startMax: TimeSpan = .seconds(10),
        roleMax: TimeSpan = .seconds(60),
        prepare: (inout CentreSettings, TemporaryFolder) throws -> Void = { _, _ in }
    ) throws {
        let loop = try Loop()
        self.loop = loop
        listener = try listenPrivately(at: "\(folder.path)/calls.sock", backlog: 64)
        journal = OwnedDescriptor(owning: socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        try bindUnixSocket(journal.number, to: "\(folder.path)/journal")
        var settings = CentreSettings(
            apps: ConfiguredApps(paths: script.map { script in folders.map { makeApp($0, script) } } ?? []),
            control: CallControlSettings(), state: StateDirectory(path: "\(folder.path)/state"),
            runtime: RuntimeDirectory(path: folder.path), pushSocketPath: "\(folder.path)/push.sock",
            start: .children(environment: [:]), group: Self.group,
            journalPath: decides ? "\(folder.path)/journal" : JournalWriter.noPath)
        settings.lookUp = lookUp
        (settings.idleMax, settings.startMax, settings.roleMax) = (idleMax, startMax, roleMax)
        try prepare(&settings, folder)
        let onIdle: () -> Void = { [unowned self] in
            isIdle = true
            loop.stop()
        }
        centre =
            decides
            ? try Centre(settings, listener: listener.number, on: loop, onIdle: onIdle)
            : try Centre(
                settings, deciding: Decider(notes: decider), listener: listener.number, on: loop, onIdle: onIdle)
        centre?.onOutdated = { [unowned self] in isOutdated = true }
    }

    private func makeApp(_ name: String, _ script: String) -> String {
        let path = folder.makeFolder(name)
        let text = """
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>com.example.phone</string>
            <key>CFBundleDisplayName</key><string>Phone</string>
            </dict></plist>
            """
        folder.write(Array(text.utf8), to: "\(name)/Info.plist")
        let program = folder.write(
            Array("#!/bin/sh\n\(script)\n".utf8), to: "\(name)/\(name.dropLast(4))")
        #expect(unsafe chmod(program, 0o755) == 0)
        return path
    }

    /// Has the loop run until the decider has heard so often that an app has failed, or ten seconds have passed.
    func run(untilFailures count: Int) {
        let failures = { [decider] in
            decider.inputs.count { if case .appFailed = $0 { true } else { false } }
        }
        guard failures() < count else { return }
        decider.onInput = { [loop] _ in if failures() >= count { loop.stop() } }
        run()
        decider.onInput = { _ in }
    }

    /// Has the loop run until it is stopped, for ten seconds at most.
    func run() {
        let limit = loop.schedule(at: loop.now + .seconds(10), description: "test") { [loop] in
            Issue.record("nothing came for ten seconds")
            loop.stop()
        }
        loop.run()
        limit.cancel()
    }

    /// Has the loop run for so long.
    func run(for span: TimeSpan) {
        let end = loop.schedule(at: loop.now + span, description: "test") { [loop] in loop.stop() }
        loop.run()
        end.cancel()
    }

    /// A peer that has connected and said `lines`.
    func peer(_ lines: [UInt8]...) throws -> CentrePeer {
        let peer = try CentrePeer("\(folder.path)/calls.sock", on: loop)
        for line in lines { peer.say(line) }
        return peer
    }

    /// An app that has said hello.
    func app(_ id: String = "com.example.phone") throws -> CentrePeer {
        try peer(AppMessage.hello(AppHello(id: id, pid: Int64(getpid()))).line)
    }
}

/// The other end of a connection to the centre.
final class CentrePeer {
    private var socket: OwnedDescriptor?
    private let loop: Loop
    private var unread: [UInt8] = []

    init(_ path: String, on loop: Loop) throws {
        self.loop = loop
        socket = try connectStream(to: path, waits: true)
        loop.runUntilIdle()
    }

    func say(_ line: [UInt8], passing file: PassedFile? = nil) {
        #expect(sendAll(line, passing: file?.descriptor.number, to: socket?.number ?? -1))
        loop.runUntilIdle()
    }

    /// The files that came beside the lines.
    private(set) var files: [PassedFile] = []

    /// Sends `bytes` in parts, as far as the centre takes them.
    func pour(_ bytes: [UInt8], partBytes: Int = 64 << 10) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard sendAll(rest.prefix(partBytes).map(\.self), passing: nil, to: socket?.number ?? -1) else { return }
            rest = rest.dropFirst(partBytes)
            loop.runUntilIdle()
        }
    }

    /// Says no more, and listens.
    func endSaying() {
        shutdown(socket?.number ?? -1, Int32(SHUT_WR))
        loop.runUntilIdle()
    }

    func leave() {
        socket = nil
        loop.runUntilIdle()
    }

    /// Whether the centre has closed the connection, once all is read.
    private(set) var isClosed = false

    /// The lines that came since it was asked last.
    func lines() -> [[UInt8]] {
        loop.runUntilIdle()
        guard let number = socket?.number else { return [] }
        while isReady(number, for: POLLIN) {
            let (bytes, passed) = receiveSome(from: number, bytesMax: 64 << 10)
            files += passed
            guard !bytes.isEmpty else {
                isClosed = true
                break
            }
            unread += bytes
            loop.runUntilIdle()
        }
        let parts = unread.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        unread = parts.last.map(Array.init) ?? []
        return parts.dropLast().map(Array.init)
    }

    func words() throws -> [AppWord] { try lines().compactMap { try AppWord.read($0) } }
    func orders() throws -> [WorkerOrder] { try lines().compactMap { try WorkerOrder.read($0) } }
    func answers() throws -> [ClientAnswer] { try lines().compactMap { try ClientAnswer.read($0) } }
    func events() throws -> [Event] { try lines().map { try Event(line: $0) } }
}

/// What a decider heard, and what it is to answer.
final class NotedInputs {
    var inputs: [CallInput] = []
    var effects: [CallEffect] = []
    var liveCalls = 0
    var apps: [WorkerNumber: String] = [:]
    var onInput: (CallInput) -> Void = { _ in }
}

/// A decider that decides nothing.
struct Decider: CallDeciding {
    let notes: NotedInputs
    var deadline: Instant? { nil }
    var liveCalls: Int { notes.liveCalls }
    var listed: [ListedApp] { [] }
    var ongoing: [OngoingCall] { [] }
    func app(of worker: WorkerNumber) -> String? { notes.apps[worker] }

    mutating func take(_ input: CallInput, at now: Instant) -> [CallEffect] {
        notes.inputs.append(input)
        notes.onInput(input)
        defer { notes.effects = [] }
        return notes.effects
    }

    mutating func timePassed(at now: Instant) -> [CallEffect] { [] }
}
