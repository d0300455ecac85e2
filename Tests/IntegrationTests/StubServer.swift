import BelfryJSON
import BelfrySyscalls
import Glibc
import Support
import Testing

/// `Tests/Servers/notification-server.py`: a notification server that shows nothing, tells what it is asked, and
/// answers as a test wants. It leaves when the test lets go of it.
final class StubServer {
    /// What a server is asked to show.
    struct Asked: Equatable {
        let id: UInt32
        let replaces: UInt32
        let summary: String
        let body: String
        /// Keys and labels in turn.
        let actions: [String]
        let category: String
        let urgency: Int64
        let expires: Int64
        let hasPicture: Bool
        let isQuiet: Bool
        /// Whether it stays after a choice.
        let isResident: Bool
        /// The profile that Phosh is to feel it by; empty for its own choice.
        let feedback: String
        /// The name of the desktop file that is named, without its ending.
        let desktopEntry: String
    }

    /// What it tells.
    enum Told: Equatable {
        case notify(Asked)
        case close(UInt32)
        /// What a call of `org.belfry.Calls1` came to: the error, empty if it went well, and its text.
        case called(String, error: String, text: String)
    }

    /// What is shown, had it a screen: by its numbers.
    private(set) var shown: [UInt32: Asked] = [:]
    /// How many calls were shown at once at most.
    private(set) var callsMost = 0
    let process: ChildProcess
    private let lines: LineReader
    private let input: OwnedDescriptor

    /// Starts one with these `arguments`, and waits until it has the name.
    init(_ arguments: String...) throws {
        let input = try DescriptorPair.pipe()
        let output = try DescriptorPair.pipe()
        process = try ChildProcess(
            ChildCommand(
                path: "/usr/bin/python3", arguments: [sourceFile("Tests/Servers/notification-server.py")] + arguments,
                environment: inherited(),
                streams: [0: .descriptor(input.reading.number), 1: .descriptor(output.writing.number)]))
        input.reading.close()
        output.writing.close()
        self.input = input.writing
        lines = LineReader(output.reading)
        guard lines.next(startingWith: #"{"ready"#, within: Client.patienceMilliseconds) != nil else {
            preconditionFailure("the notification server did not start")
        }
    }

    deinit {
        try? process.signal(SIGKILL)
        _ = try? process.waitUntilExit()
    }

    /// Has it do this.
    func obey(_ command: String) {
        let line = Array("\(command)\n".utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(input.number, $0.baseAddress, $0.count) }
    }

    /// Ends it, and waits until its name is free.
    func end() throws { try Screen.end(process, by: SIGKILL) }

    /// The next that it tells; nil if nothing comes within `milliseconds`.
    func next(within milliseconds: Int32 = Client.patienceMilliseconds) throws -> Told? {
        guard let line = lines.next(within: milliseconds),
            let object = try JSONValue.parse(Array(line.utf8)).objectValue
        else { return nil }
        if let id = object["close"]?.integerValue {
            shown[UInt32(id)] = nil
            return .close(UInt32(id))
        }
        if let called = object["called"]?.stringValue {
            return .called(
                called, error: object["error"]?.stringValue ?? "", text: object["text"]?.stringValue ?? "")
        }
        let asked = Asked(
            id: UInt32(object["notify"]?.integerValue ?? 0), replaces: UInt32(object["replaces"]?.integerValue ?? 0),
            summary: object["summary"]?.stringValue ?? "", body: object["body"]?.stringValue ?? "",
            actions: object["actions"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            category: object["category"]?.stringValue ?? "", urgency: object["urgency"]?.integerValue ?? -1,
            expires: object["expires"]?.integerValue ?? -2, hasPicture: object["hasPicture"]?.boolValue ?? false,
            isQuiet: object["isQuiet"]?.boolValue ?? false, isResident: object["isResident"]?.boolValue ?? false,
            feedback: object["feedback"]?.stringValue ?? "",
            desktopEntry: object["desktopEntry"]?.stringValue ?? "")
        if asked.id != 0 { shown[asked.id] = asked }
        callsMost = max(callsMost, shown.values.count { $0.category == "call.incoming" && !$0.actions.isEmpty })
        return .notify(asked)
    }

    /// The next that it is asked to show.
    func asked() throws -> Asked {
        while let told = try next() { if case .notify(let asked) = told { return asked } }
        throw Nothing(what: "Notify")
    }

    /// Waits until it is told to close `id`.
    func waitForClose(of id: UInt32) throws {
        while let told = try next() { if told == .close(id) { return } }
        throw Nothing(what: "CloseNotification(\(id))")
    }

    /// What the next call came to that it was to make: the error, and its text.
    func outcome() throws -> (error: String, text: String) {
        while let told = try next() { if case .called(_, let error, let text) = told { return (error, text) } }
        throw Nothing(what: "answer")
    }

    /// Reads what it tells until `isSo` of what is shown; false if that does not come.
    func shows(within milliseconds: Int32 = Client.patienceMilliseconds, _ isSo: ([Asked]) -> Bool) throws -> Bool {
        while !isSo(Array(shown.values)) { if try next(within: milliseconds) == nil { return false } }
        return true
    }

    struct Nothing: Error { let what: String }
}
