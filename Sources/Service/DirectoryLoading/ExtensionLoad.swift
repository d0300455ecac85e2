import BelfryEventLoop
import BelfrySyscalls
import BelfryTerms
import CallDirectory
import CallDirectoryFiles
import ExtensionKeeping
import Glibc
import KeeperChannel

/// One load of an extension: starts its process, takes what it gives, and ends it.
///
/// The process may say anything in any order, and what it says counts until the outcome is known. Whatever goes wrong
/// with it, the table that there is stays.
final class ExtensionLoad {
    /// How long the code may run on once the outcome is known.
    private static let leavePatience = TimeSpan.seconds(1)
    /// How long after `beginRequest` it may take to complete before it is warned of.
    private static let completionPatience = TimeSpan.seconds(10)
    /// How often the process's memory is measured: no event reports it.
    private static let memoryInterval = TimeSpan.milliseconds(500)
    /// What an extension is said to have, if there is no limit.
    private static let memoryBytesOfOthers: Int64 = 24 << 20
    /// How many files may wait for the message that they belong to.
    private static let filesMax = 16

    private enum Phase {
        /// The state until the outcome is known.
        case loading
        /// The state while the code ends what it does.
        case leaving(LoadOutcome)
        /// The state once the outcome is told.
        case over
    }

    private let settings: LoadSettings
    private let setting: ExtensionSetting
    private let intake: DirectoryIntake
    private let mayCommit: () -> Bool
    private let loop: Loop
    private let tell: (LoadNews) -> Void
    private var phase = Phase.loading
    private var hasBegun = false
    private var folders: ExtensionFolders?
    private var process: KeptProcess?
    private var channel: KeeperEnd?
    private var files: [PassedFile] = []
    private var timers: [any ScheduledTimer] = []
    private let start: Instant

    /// Begins the load of `setting`'s extension into `intake`, which counts only if `mayCommit` says so in the end. The
    /// last news is that it is over, which may be told before this returns.
    init(
        _ setting: ExtensionSetting, _ settings: LoadSettings, into intake: DirectoryIntake, on loop: Loop,
        mayCommit: @escaping () -> Bool, tell: @escaping (LoadNews) -> Void
    ) {
        (self.setting, self.settings, self.intake, self.loop) = (setting, settings, intake, loop)
        (self.mayCommit, self.tell) = (mayCommit, tell)
        start = loop.now
    }

    /// Starts the process.
    func begin() {
        do throws(SystemError) {
            let folders = try ExtensionFolders(of: setting.bundle, state: setting.statePath)
            self.folders = folders
            channel = KeeperEnd(folders: folders.channel)
            process = try KeptProcess(setting, in: folders, on: loop) { [unowned self] in happened($0) }
        } catch {
            return fail("the extension's process cannot be started: \(error)")
        }
        let greeting = KeeperGreeting(
            stateDirectory: setting.statePath,
            memoryBytesMax: settings.memoryBytesMax.map { Int64($0) } ?? Self.memoryBytesOfOthers,
            contactsFile: setting.contactsFile)
        say(.hello(greeting))
        let seconds = DecimalText.fixed(settings.timeout.seconds, digits: 0)
        after(settings.timeout) { $0.fail("the extension has not completed its request within \(seconds) s") }
        watchMemory()
    }

    /// Ends it without a new table.
    func stop() { fail("the load was stopped") }

    private func after(_ span: TimeSpan, _ body: @escaping (ExtensionLoad) -> Void) {
        timers.append(
            loop.schedule(at: loop.now + span, description: "load") { [weak self] in
                if let self { body(self) }
            })
    }

    private func say(_ message: KeeperMessage) {
        if process?.say(message.line) == false { fail("the extension takes no answers") }
    }

    private func happened(_ event: KeptProcess.Event) {
        switch event {
        case .said(let bytes, let passed):
            // Only the newest: a process that passes files without messages for them is faulty.
            files = (files + passed).suffix(Self.filesMax)
            hear { () throws(ChannelError) in try channel?.take(bytes, at: loop.now) ?? [] }
        case .hungUp: fail("the extension has closed its channel before it completed its request")
        case .wrote(let bytes):
            let text = String(decoding: bytes, as: UTF8.self)
            hear { channel?.take(output: text, at: loop.now) ?? [] }
        case .ended(let exit):
            process = nil
            fail("the extension's process ended before it completed its request, \(exit.inWords)")
            over()
        }
    }

    private func hear(_ read: () throws(ChannelError) -> [ExtensionMessage]) {
        do throws(ChannelError) {
            for message in try read() { try heard(message) }
        } catch {
            channel = nil
            fail("the extension's channel: \(error.detail)")
            end()
        }
    }

    private func heard(_ message: ExtensionMessage) throws(ChannelError) {
        switch message {
        case .hello:
            guard !hasBegun else { return }
            hasBegun = true
            say(.begin(isIncremental: intake.isIncremental))
        case .directory(let word): try heard(word)
        case .output(_, let output): tell(.output(output.text.hasSuffix("\n") ? output.text : output.text + "\n"))
        case .warning(_, let code, let detail): tell(.warning(code, detail: detail))
        case .asked(_, let asked):
            let what = "\(asked.what.rawValue): a call directory's extension is loaded unseen and unheard"
            tell(.warning(CodeWord(.unsupported), detail: what))
            if let token = asked.token { say(.finished(token)) }
        // Of notifications, of which this process has none; a sound is never played.
        case .reply, .returned, .sound, .disposed: break
        }
    }

    private func heard(_ word: DirectoryWord) throws(ChannelError) {
        guard hasBegun else { throw ChannelError(detail: "it gives entries before it was asked for them") }
        switch word {
        case .add(let kind, let count): take(word, try batch(count, hasLabels: kind == .identification))
        case .remove(_, let count): take(word, try batch(count, hasLabels: false))
        case .removeAll, .whole: take(word, nil)
        case .complete: complete()
        case .cancel(let domain, let code, let text):
            say(.answer(nil))
            let cancellation = LoadOutcome.Cancellation(
                domain: Printable.excerpt(of: domain, charactersMax: KeeperEnd.detailCharactersMax), code: code,
                text: Printable.excerpt(of: text, charactersMax: KeeperEnd.detailCharactersMax))
            decide(LoadOutcome(.failure(cancellation.failure), cancellation: cancellation))
        case .returned:
            after(Self.completionPatience) { $0.warnOfIncompletion() }
        case .done:
            // Else it has nothing more to give, and has given no end.
            fail("the extension has not completed its request")
            end()
        }
    }

    /// The entries that were passed beside their message.
    private func batch(_ count: Int64, hasLabels: Bool) throws(ChannelError) -> DirectoryBatch {
        guard !files.isEmpty else { throw ChannelError(detail: "a batch of \(count) entries without a file") }
        let file = files.removeFirst()
        // Else reading it could take for ever.
        guard file.isSealedMemory else {
            throw ChannelError(detail: "the file of a batch is not in memory, or can be changed")
        }
        var status = stat()
        let bytesMax = DirectoryBatch.bytesMax(count: count, hasLabels: hasLabels)
        guard unsafe fstat(file.descriptor.number, &status) == 0, status.st_size <= bytesMax,
            let bytes = try? readBytes(
                of: file.descriptor.number, at: 0, count: Int(status.st_size), path: "a batch of entries")
        else { throw ChannelError(detail: "the file of a batch of \(count) entries is too long or cannot be read") }
        return try DirectoryBatch(bytes, count: count, hasLabels: hasLabels)
    }

    private func take(_ word: DirectoryWord, _ batch: DirectoryBatch?) {
        guard case .loading = phase else { return answer(word, nil) }
        measureMemory()
        do throws(DirectoryFailure) {
            try intake.take(word, batch)
            answer(word, nil)
        } catch {
            // Answered first: the code then has the time that it may run on.
            answer(word, error)
            decide(LoadOutcome(.failure(error)))
        }
    }

    private func answer(_ word: DirectoryWord, _ failure: DirectoryFailure?) {
        if word != .whole { say(.answer(failure)) }
    }

    private func complete() {
        guard case .loading = phase else { return say(.completed(isExpired: true)) }
        measureMemory()
        guard case .loading = phase else { return }
        let result: Result<LoadOutcome.Loaded, DirectoryFailure>
        do throws(DirectoryFailure) {
            guard mayCommit() else {
                throw DirectoryFailure(.extensionDisabled, "the extension was disabled while it was loaded")
            }
            result = .success(try intake.commit())
        } catch {
            result = .failure(error)
        }
        let outcome = LoadOutcome(result)
        decide(outcome)
        say(.completed(isExpired: outcome.failure != nil))
    }

    private func warnOfIncompletion() {
        guard case .loading = phase else { return }
        let seconds = DecimalText.fixed(Self.completionPatience.seconds, digits: 0)
        tell(
            .warning(
                CodeWord(.directoryIncomplete),
                detail: "beginRequest returned \(seconds) s ago, and completeRequest was not called"))
    }

    private func watchMemory() {
        measureMemory()
        after(Self.memoryInterval) { $0.watchMemory() }
    }

    private func measureMemory() {
        guard case .loading = phase, let bytesMax = settings.memoryBytesMax, let process,
            let memory = anonymousMemory(ofPID: process.pid), memory.peak > bytesMax
        else { return }
        let detail = "the extension had \(memory.peak) bytes of its own, and may have \(bytesMax)"
        tell(.warning(CodeWord(.directoryMemory), detail: detail))
        fail(detail)
        end()
    }

    /// The load came to nothing, unless its outcome is known.
    private func fail(_ problem: String) {
        decide(LoadOutcome(.failure(DirectoryFailure(.loadingInterrupted, problem))))
    }

    private func decide(_ outcome: LoadOutcome) {
        guard case .loading = phase else { return }
        var outcome = outcome
        outcome.elapsed = loop.now - start
        phase = .leaving(outcome)
        intake.abandon()
        for timer in timers { timer.cancel() }
        timers = []
        after(Self.leavePatience) { $0.end() }
        // Later: whoever has decided it may still say something to the process.
        if process == nil { after(.milliseconds(0)) { $0.over() } }
    }

    /// Kills the process; its end is the load's.
    private func end() {
        guard let process else { return over() }
        process.kill()
        // Also if the kernel cannot end it.
        after(Self.leavePatience) { $0.over() }
    }

    private func over() {
        guard case .leaving(let outcome) = phase else { return }
        phase = .over
        for timer in timers { timer.cancel() }
        timers = []
        folders?.removeTemporary()
        tell(.over(outcome))
    }
}

extension ChildExit {
    /// How a process ended, for people.
    fileprivate var inWords: String {
        switch self {
        case .exited(let code): "with status \(code)"
        case .killed(let signal): "by signal \(signal)"
        }
    }
}
