import BelfryAppGroup
import BelfrySyscalls
import BelfryTerms

// Parts of iOS's Foundation that are missing here and can be provided. Those that cannot be are in Refused.

/// A CoreFoundation string: on Linux the class of Foundation.
public typealias CFString = NSString
/// A CoreFoundation address: on Linux the class of Foundation.
public typealias CFURL = NSURL
/// A CoreFoundation dictionary: on Linux the class of Foundation.
public typealias CFDictionary = NSDictionary
/// A CoreFoundation array: on Linux the class of Foundation.
public typealias CFArray = NSArray
/// CoreFoundation data: on Linux the class of Foundation.
public typealias CFData = NSData
/// CoreFoundation data that changes: on Linux the class of Foundation.
public typealias CFMutableData = NSMutableData
/// A CoreFoundation number: on Linux the class of Foundation.
public typealias CFNumber = NSNumber
/// A CoreFoundation truth value: on Linux the class of Foundation's numbers.
public typealias CFBoolean = NSNumber
/// Any object of CoreFoundation.
public typealias CFTypeRef = AnyObject
/// A CoreFoundation run loop: on Linux the class of Foundation.
public typealias CFRunLoop = RunLoop
/// A length of time in seconds.
public typealias CFTimeInterval = Double
/// Seconds since 2001.
public typealias CFAbsoluteTime = Double
/// The result of a system function: 0, or an error's number.
public typealias OSStatus = Int32

/// True.
public var kCFBooleanTrue: CFBoolean! { NSNumber(value: true) }
/// False.
public var kCFBooleanFalse: CFBoolean! { NSNumber(value: false) }

/// The key of a bundle's name in its `Info.plist`.
public var kCFBundleNameKey: CFString! { "CFBundleName" }
/// The key of a bundle's identifier.
public var kCFBundleIdentifierKey: CFString! { "CFBundleIdentifier" }
/// The key of a bundle's version, that of its build.
public var kCFBundleVersionKey: CFString! { "CFBundleVersion" }
/// The key of the name of a bundle's program.
public var kCFBundleExecutableKey: CFString! { "CFBundleExecutable" }

/// Seconds since 2001, now.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }

/// The run loop of the main thread.
public func CFRunLoopGetMain() -> CFRunLoop! { RunLoop.main }

/// The run loop of this thread.
public func CFRunLoopGetCurrent() -> CFRunLoop! { RunLoop.current }

/// Calls `body`: Swift on Linux has no autorelease pools.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }

extension FileManager {
    /// The container of an app group, made if it does not exist; nil for a name that no group can have, or if it
    /// cannot be made.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        guard let group = GroupName(groupIdentifier), let state = KeeperDoor.stateDirectory else {
            KeeperDoor.warn(.unsupported, "containerURL(\(groupIdentifier)): an app group has \(GroupName.rule)")
            return nil
        }
        do {
            return URL(fileURLWithPath: try state.makeContainer(of: group), isDirectory: true)
        } catch {
            KeeperDoor.warn(.groupUnwritable, "\(error)")
            return nil
        }
    }
}

extension ProcessInfo {
    /// Calls `block` on another thread with false, for work during which the process must be kept. Calls it with true
    /// if the time of the process is nearly over by then, or before the work is done.
    @preconcurrency
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
        KeeperDoor.current.activities.perform(block)
    }

    /// False: there is no such mode.
    public var isLowPowerModeEnabled: Bool { false }
}

extension URL {
    /// True: the path is enough to reach a file.
    public func startAccessingSecurityScopedResource() -> Bool { true }

    /// Does nothing.
    public func stopAccessingSecurityScopedResource() {}
}

extension CGSize {
    /// The size in words for people.
    public var debugDescription: String { "(\(Double(width)), \(Double(height)))" }
}

extension CGPoint {
    /// The point in words for people.
    public var debugDescription: String { "(\(Double(x)), \(Double(y)))" }
}

extension CGRect {
    /// The rectangle as a dictionary, the form in which it clips thumbnails.
    public var dictionaryRepresentation: CFDictionary {
        ["X": Double(minX), "Y": Double(minY), "Width": Double(width), "Height": Double(height)] as NSDictionary
    }
}

/// Used by the file that is generated into an extension's own module: only there can Foundation's own members be
/// replaced.
public enum BelfryGlue {
    /// Warns that code wants `what`, which Linux does not have.
    public static func refuse(_ what: String) { KeeperDoor.warn(.unsupported, what) }

    /// The extension's folder: that of its program, unless its tests run it in their process.
    public static var mainBundle: Bundle { KeeperDoor.bundle }

    private static let fileExtensions = [
        "image/png": "png", "image/jpeg": "jpg", "image/jpg": "jpg", "image/gif": "gif", "image/webp": "webp",
        "image/heic": "heic", "audio/mpeg": "mp3", "audio/mp4": "m4a", "audio/x-m4a": "m4a", "audio/wav": "wav",
        "audio/x-wav": "wav", "audio/aiff": "aiff", "video/mp4": "mp4", "video/mpeg": "mpg", "video/avi": "avi",
        "text/html": "html", "text/plain": "txt", "application/json": "json", "application/pdf": "pdf",
    ]
    private static let alike = [
        "jpeg": "jpg", "jpe": "jpg", "mpeg": "mpg", "aif": "aiff", "htm": "html", "text": "txt",
    ]

    /// The name for a file from `url`, as `URLResponse.suggestedFilename` on iOS: the name in `Content-Disposition`,
    /// else the last part of the path, with the extension of its type.
    public static func suggestedFilename(url: URL?, contentDisposition: String?, mimeType: String?) -> String {
        if let name = contentDisposition.flatMap(name(inDisposition:)) { return name }
        let last = url?.lastPathComponent ?? ""
        let name = last.isEmpty || last == "/" ? url?.host ?? "Unknown" : last
        guard let suffix = mimeType.flatMap({ fileExtensions[$0.lowercased()] }) else { return name }
        let found = NSString(string: name).pathExtension.lowercased()
        return found == suffix || alike[found] == suffix ? name : "\(name).\(suffix)"
    }

    /// The file's name in a `Content-Disposition`, without any folder; nil if it names none.
    private static func name(inDisposition text: String) -> String? {
        let fields = text.split(separator: ";").dropFirst().map { $0.drop { $0 == " " } }
        let names: [String] = fields.compactMap { field in
            let parts = field.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            let value = parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
            switch parts[0].lowercased() {
            case "filename": return value
            // RFC 5987: the character set, the language, and the name in percent escapes.
            case "filename*": return value.components(separatedBy: "''").last?.removingPercentEncoding
            default: return nil
            }
        }
        let name = NSString(string: names.last ?? "").lastPathComponent
        return name.isEmpty || name == "/" || name == "." || name == ".." ? nil : name
    }
}

/// Work of the code that must learn when the time of the process ends.
package final class ExpiringActivities: Sendable {
    private struct Running {
        var blocks: [UUID: @Sendable (Bool) -> Void] = [:]
        var isExpired = false
    }

    private static let queue = DispatchQueue(label: "belfry.expiring-activities", attributes: .concurrent)
    private let running = LockedValue(Running())

    func perform(_ block: @escaping @Sendable (Bool) -> Void) {
        let id = UUID()
        // Registered before it runs: if the time ends before or meanwhile, `expire()` calls it again with true.
        let isTooLate = running.withLock {
            if !$0.isExpired { $0.blocks[id] = block }
            return $0.isExpired
        }
        KeeperDoor.current.run(on: Self.queue) {
            block(isTooLate)
            self.running.withLock { _ = $0.blocks.removeValue(forKey: id) }
        }
    }

    /// The time of the process is nearly over: calls each block that still runs, and each new one, with true.
    package func expire() {
        let told = running.withLock { running in
            running.isExpired = true
            defer { running.blocks = [:] }
            return Array(running.blocks.values)
        }
        for block in told { Self.queue.async { block(true) } }
    }

    /// Another notification came to the process: its time begins again.
    func renew() { running.withLock { $0.isExpired = false } }
}
