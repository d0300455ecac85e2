import BelfryProtocol
import BelfryTerms
import CBelfryLinux
import Glibc
import Interception
import ServiceHost

/// What an app's own notification service extension does with an alert. All times are microseconds.
struct PlayedCode {
    /// A call of the content handler, so long after what it follows: 0 is before it returns from that.
    struct Reply {
        var after: Int64
        var content: Content
    }

    /// What the handler gets.
    enum Content: Hashable {
        case changed, withoutText
        case attaching(PlayedAttachment)
    }

    /// How long it takes to say whether it takes the notification; nil if it never says.
    var admitsAfter: Int64? = 0
    /// Whether it does not take it.
    var refuses = false
    /// How long it waits for its turn in a process that others use too; nil if it has a process of its own.
    var waits: Int64?
    /// How long it waits at most: less than ten minutes, after which calls are forgotten.
    static let waitMax = TimeSpan.seconds(100)
    /// After it got the notification.
    var replies: [Reply] = []
    var diesAfter: Int64?
    /// After it was told that its time is nearly over.
    var onNotice: Reply?
    /// After it was told to stop.
    var onStop: Reply?
    /// How long it has something to do after the delivery.
    var lingers: Int64 = 0
}

/// A file that is attached: one that really is there, since the host asks for it.
struct PlayedAttachment: Hashable {
    enum File: Hashable {
        case missing, folder, unnamed
        case bytes(Int64)
    }

    var file: File
    var type: String

    /// What Apple's table of types allows, in MiB.
    private static let limits: [(types: Set<String>, mebibytes: Int64)] = [
        (["public.jpeg", "com.compuserve.gif", "public.png"], 10),
        (["public.aiff-audio", "com.microsoft.waveform-audio", "public.mp3", "public.mpeg-4-audio"], 5),
        (["public.mpeg", "public.mpeg-2-video", "public.mpeg-4", "public.avi"], 50),
    ]
    static let types = limits.flatMap(\.types).sorted() + ["public.plain-text", ""]
    static let files: [File] =
        [.missing, .folder, .unnamed, .bytes(0), .bytes(1)]
        + [5, 10, 50].flatMap { [.bytes($0 << 20), .bytes($0 << 20 + 1)] }

    /// The number of the error for which iOS drops it; nil if it is shown.
    var error: Int? {
        guard case .bytes(let bytes) = file else { return 100 }
        guard let limit = Self.limits.first(where: { $0.types.contains(type) }) else { return 101 }
        if bytes == 0 { return 105 }
        return bytes > limit.mebibytes << 20 ? 102 : nil
    }

    var path: String {
        switch file {
        case .missing: "/nonexistent/picture.png"
        case .folder: "/"
        case .unnamed: "etc/passwd"
        case .bytes(let bytes): SparseFiles.all.path(bytes)
        }
    }
}

/// Files of the sizes that attachments have, with nothing in them; they are gone with this process.
private final class SparseFiles: Sendable {
    static let all = SparseFiles()
    private let paths: [Int64: String]

    private init() {
        var paths: [Int64: String] = [:]
        for case .bytes(let bytes) in PlayedAttachment.files {
            let file = unsafe clinux_memory_file("attachment")
            precondition(file >= 0 && ftruncate(file, Int(bytes)) == 0, "no memory for a file: errno \(errno)")
            paths[bytes] = "/proc/self/fd/\(file)"
        }
        self.paths = paths
    }

    func path(_ bytes: Int64) -> String { paths[bytes] ?? "" }
}

/// Does what the plan says, under the real host.
final class PlayedCodeExtension: ServiceExtension {
    weak var host: (any ServiceExtensionHost)?
    /// As a process that is started, or waited for, keeps its worker.
    private(set) var isBusy = true
    private unowned let worker: PlayedWorker
    private let code: PlayedCode
    private let loop: PlayedLoop
    private var original = NotificationContent()
    private var isDead = false
    /// Whether its turn is still to come; not any more if nobody waits for it.
    private var isWaiting = false
    /// Whether the host is in the midst of a call.
    private var isCalled = false

    init(_ code: PlayedCode, of worker: PlayedWorker, on loop: PlayedLoop) {
        self.code = code
        self.worker = worker
        self.loop = loop
    }

    private var oracle: Oracle { worker.world.oracle }

    func admit(within budget: Budget, _ decided: @escaping (ExtensionVerdict) -> Void) {
        let verdict =
            code.refuses ? ExtensionVerdict.refused(Rejection(.busy, detail: "it has too much to do")) : .admitted
        guard let delay = code.admitsAfter else { return }
        guard delay > 0 else { return decided(verdict) }
        after(delay) { decided(verdict) }
    }

    func didReceive(_ request: NotificationRequest, within budget: Budget) {
        original = request.content
        guard let wait = code.waits else { return calling(begin) }
        isWaiting = true
        after(wait) { [self] in
            guard isWaiting else { return }
            isWaiting = false
            host?.extensionBegan(within: worker.hasItsTurn())
            begin()
        }
    }

    private func begin() {
        oracle.codeBegins(worker)
        for answer in code.replies { reply(answer) }
        guard let death = code.diesAfter else { return }
        after(death) { [self] in
            isDead = true
            isBusy = false
            oracle.codeDies(worker) { [self] in host?.extensionDied() }
        }
    }

    func serviceExtensionTimeWillExpire() {
        guard !isWaiting else { return }
        oracle.codeIsWarned(worker)
        if let answer = code.onNotice { calling { reply(answer) } }
    }

    func stop() {
        isWaiting = false
        if let answer = code.onStop { reply(answer) }
    }

    func end() {
        isWaiting = false
        oracle.codeEnds(worker)
        after(code.lingers) { [self] in
            isBusy = false
            host?.extensionIsIdle()
        }
    }

    private func calling(_ action: () -> Void) {
        isCalled = true
        action()
        isCalled = false
    }

    private func reply(_ answer: PlayedCode.Reply) {
        guard answer.after > 0 else { return handOver(answer) }
        after(answer.after) { [self] in handOver(answer) }
    }

    private func handOver(_ answer: PlayedCode.Reply) {
        var content = original
        switch answer.content {
        case .changed: content.title = "changed"
        case .withoutText: (content.title, content.subtitle, content.body) = ("", "", "")
        case .attaching(let file):
            content.title = "changed"
            content.attachments = [NotificationAttachment(id: "a", path: file.path, type: file.type)]
        }
        oracle.codeReplies(worker, answer.content, beforeItReturns: isCalled) { [self] in
            host?.extensionHandedOver(content)
        }
    }

    private func after(_ microseconds: Int64, _ action: @escaping () -> Void) {
        _ = loop.schedule(at: loop.now + TimeSpan(microseconds: microseconds), description: "code") { [self] in
            if !isDead { action() }
        }
    }
}
