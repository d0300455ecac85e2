public import BelfryJSON
import BelfrySyscalls
import BelfryTerms

/// What came out of a trial, for people: `belfry-worker --trial` writes it, `belfry doctor` reads it.
public struct TrialVerdict: Hashable, Sendable {
    private static let packing = "belfry pack makes one, and [Extension] Path= names its NAME.appex"

    private let isGood: Bool
    private let detail: String
    private let remedy: String

    /// The verdict on the extension at `path` after `outcome`.
    public init(_ outcome: ExtensionTrial.Outcome, of path: String) {
        switch outcome {
        case .started(let elapsed):
            let milliseconds = DecimalText.fixed(elapsed.seconds * 1_000, digits: 1)
            self.init(true, "\(path) starts in \(milliseconds) ms, and can attach files", "")
        case .unattachable(let error):
            let remedy = "see the settings of systemctl --user cat belfry@.service"
            self.init(false, "\(path) starts, but what it attaches is dropped: \(error)", remedy)
        case .ended(let exit, let line):
            let end =
                switch exit {
                case .exited(let code): "with status \(code)"
                case .killed(let signal): "by signal \(signal)"
                }
            let detail = "\(path) ends at once, \(end)" + (line.isEmpty ? "" : ": \(line)")
            self.init(false, detail, Self.packing)
        case .silent:
            let seconds = DecimalText.fixed(ExtensionTrial.patience.seconds, digits: 0)
            let detail = "\(path) did not say within \(seconds) s that it is there"
            self.init(false, detail, "its main.swift calls ExtensionProcess.run")
        }
    }

    /// The verdict on an extension that cannot be started at all.
    public init(_ error: ExtensionBundleError) { self.init(false, error.description, Self.packing) }

    private init(_ isGood: Bool, _ detail: String, _ remedy: String) {
        (self.isGood, self.detail, self.remedy) = (isGood, detail, remedy)
    }

    /// The verdict as one object: whether the extension can be used, what was found, and how to mend it, which is empty
    /// if there is nothing to mend.
    public var json: JSONObject {
        ["good": .bool(isGood), "detail": .string(detail), "remedy": .string(remedy)]
    }
}
