/// What the calling code of an app often has that does something else here, or would end the app on iOS, as far as that
/// can be seen without a compiler.
struct CallHabits {
    /// Delegates of Apple's whose methods are optional, and the beginnings of their names.
    private static let delegates = [
        "CXCallObserverDelegate": "callObserver", "CXProviderDelegate": "provider",
        "PKPushRegistryDelegate": "pushRegistry", "UIApplicationDelegate": "application",
    ]
    /// Classes whose `init()` is required here, so that an app's delegate can be made.
    private static let responders: Set<String> = [
        "UIApplication", "UIResponder", "UIScene", "UIView", "UIViewController", "UIWindow", "UIWindowScene",
    ]
    private static let receivers: Set<String> = ["didReceiveIncomingPushWith", "didReceiveIncomingVoIPPushWith"]
    private static let report = "reportNewIncomingCall"
    /// The deepest descent of a class.
    private static let depthMax = 64

    /// What each type inherits and conforms to, of all files.
    private let parents: [String: Set<String>]

    /// The habits of code whose types stand in `files`.
    init(of files: [ImportPlan.File]) {
        var parents: [String: Set<String>] = [:]
        for file in files where file.path.hasSuffix(".swift") {
            // Conditions do not matter here: a class that is left out has no descendants either.
            let facts = SourceFacts(SwiftSource(file.bytes), hasModule: { _ in true })
            for found in facts.classes + facts.extensions {
                parents[found.name, default: []].formUnion(found.parents)
            }
        }
        self.parents = parents
    }

    /// The classes above `name`, nearest first.
    private func ancestors(of name: String) -> [String] {
        var found: [String] = []
        var level = parents[name] ?? []
        while !level.isEmpty, found.count < Self.depthMax {
            let next = level.sorted().filter { !found.contains($0) }
            found += next
            level = Set(next.flatMap { parents[$0] ?? [] })
        }
        return found
    }

    /// Puts `required` in place of `override` at the `init()` of whatever descends from a responder: here that is
    /// required, and both words are of one length.
    func requireInits(in source: inout SwiftSource) {
        let tokens = source.tokens
        for method in SourceOutline(tokens).methods where method.name == "init" && method.labels.isEmpty {
            guard let place = method.override, ancestors(of: method.type).contains(where: Self.responders.contains)
            else { continue }
            source.put("required", in: tokens[place].range)
        }
    }

    /// What people should know of `source`, the file `name`, each without a full stop.
    func notes(on source: SwiftSource, named name: String) -> [String] {
        let tokens = source.tokens
        let casts = CaughtCasts.lines(in: tokens).map { "\(name):\($0): \(CaughtCasts.note)" }
        return SourceOutline(tokens).methods.flatMap { method -> [String] in
            let notes =
                method.name == "pushRegistry" && !Self.receivers.isDisjoint(with: method.labels)
                ? receiver(method, tokens) : []
            return (notes + inheritor(method, tokens)).map { "\(name):\($0)" }
        } + casts
    }

    /// What is to be said of a method that receives a push.
    private func receiver(_ method: SourceOutline.Method, _ tokens: [SwiftSource.Token]) -> [String] {
        let body = method.body
        let report = tokens[body].firstIndex { $0.text == Self.report } ?? body.upperBound
        var notes: [String] = []
        let task = body.first { tokens[$0].text == "Task" && ["{", "(", "."].contains(tokens[$0 + 1].text) }
        if let task {
            notes.append(
                "\(tokens[task].line): a Task in the method that receives a push runs once that has returned: iOS "
                    + "kills an app in the background that has not reported its call by then")
        }
        let unwrapped = (body.lowerBound..<report).first { place in
            guard place > 0, tokens[place].text == "!" else { return false }
            let (before, mark) = (tokens[place - 1], tokens[place].range)
            let isTight = before.range.upperBound == mark.lowerBound
            let isNotEqual = tokens[place + 1].text == "=" && tokens[place + 1].range.lowerBound == mark.upperBound
            let letter = before.text.utf8.last ?? 0
            return isTight && !isNotEqual
                && (SwiftSource.isOfName(letter) || letter == UInt8(ascii: ")") || letter == UInt8(ascii: "]"))
        }
        if let unwrapped {
            notes.append(
                "\(tokens[unwrapped].line): what is unwrapped by force before the report ends the app if a push "
                    + "lacks it: report a call with what there is")
        }
        return notes
    }

    /// What is to be said of a delegate's method in a subclass of the class that conforms.
    private func inheritor(_ method: SourceOutline.Method, _ tokens: [SwiftSource.Token]) -> [String] {
        guard method.override == nil else { return [] }
        let own = parents[method.type] ?? []
        let above = ancestors(of: method.type).filter { Self.delegates[$0] == nil }
        for (delegate, beginning) in Self.delegates.sorted(by: { $0.key < $1.key })
        where method.name.hasPrefix(beginning) && !own.contains(delegate) {
            guard let base = above.first(where: { parents[$0]?.contains(delegate) == true }) else { continue }
            return [
                "\(tokens[method.place].line): \(method.name) in \(method.type) is not called here, since it is "
                    + "\(base) that conforms to \(delegate): write the method there, and override it"
            ]
        }
        return []
    }
}
