import BelfryAppGroup
import BelfrySyscalls
import BelfryTerms

// What Foundation has on iOS and lacks here: values and functions that can be had. What cannot be had is in Refused.

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
/// What a function of the system returns: 0, or an error's number.
public typealias OSStatus = Int32

/// True.
public var kCFBooleanTrue: CFBoolean! { NSNumber(value: true) }
/// False.
public var kCFBooleanFalse: CFBoolean! { NSNumber(value: false) }

/// Seconds since 2001, now.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }

/// The run loop of the main thread.
public func CFRunLoopGetMain() -> CFRunLoop! { RunLoop.main }

/// The run loop of this thread.
public func CFRunLoopGetCurrent() -> CFRunLoop! { RunLoop.current }

/// Calls `body`: Swift on Linux releases what is not used any more by itself.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }

extension FileManager {
    /// The container of an app group, which exists afterwards; nil for a name that no group has, or if it cannot be
    /// made.
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
    /// Calls `block` on another thread with false, for work that the process is to be kept for; if the time of the
    /// process is nearly over by then or before the work is done, with true.
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
        KeeperDoor.current.activities.perform(block)
    }

    /// False: there is no such mode.
    public var isLowPowerModeEnabled: Bool { false }
}

extension URL {
    /// True: a file is reached by its path alone.
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
    /// The rectangle as a dictionary, as thumbnails are clipped by.
    public var dictionaryRepresentation: CFDictionary {
        ["X": Double(minX), "Y": Double(minY), "Width": Double(width), "Height": Double(height)] as NSDictionary
    }
}

/// What the file that is generated into an extension's own module is made of: there alone Foundation's own members can
/// be mended.
public enum BelfryGlue {
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

    /// The name under which to keep what came from `url`, as `URLResponse.suggestedFilename` has it on iOS: that of
    /// `Content-Disposition`, else the last part of the path, with the extension of its type.
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
            // RFC 5987: the set, the language, and the name in percent escapes.
            case "filename*": return value.components(separatedBy: "''").last?.removingPercentEncoding
            default: return nil
            }
        }
        let name = NSString(string: names.last ?? "").lastPathComponent
        return name.isEmpty || name == "/" || name == "." || name == ".." ? nil : name
    }
}

/// Work that code wants to be told of the end of.
package final class ExpiringActivities: Sendable {
    private struct Running {
        var blocks: [UUID: @Sendable (Bool) -> Void] = [:]
        var isExpired = false
    }

    private static let queue = DispatchQueue(label: "belfry.expiring-activities", attributes: .concurrent)
    private let running = LockedValue(Running())

    func perform(_ block: @escaping @Sendable (Bool) -> Void) {
        let id = UUID()
        let isTooLate = running.withLock {
            if !$0.isExpired { $0.blocks[id] = block }
            return $0.isExpired
        }
        KeeperDoor.current.run(on: Self.queue) {
            block(isTooLate)
            self.running.withLock { _ = $0.blocks.removeValue(forKey: id) }
        }
    }

    /// The time of the process is nearly over: tells whoever is still at work, and whoever begins from now on.
    package func expire() {
        let told = running.withLock { running in
            running.isExpired = true
            defer { running.blocks = [:] }
            return Array(running.blocks.values)
        }
        for block in told { Self.queue.async { block(true) } }
    }

    /// A further notification came to the process.
    func renew() { running.withLock { $0.isExpired = false } }
}
