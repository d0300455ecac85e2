import BelfryAppGroup
@testable import BelfryAppleGround
import BelfryTerms
import Foundation
import Support
import Testing
import UserNotifications

/// What Foundation has on iOS and lacks on Linux.
@Suite(.onPhone) struct FoundationTests {
    @Test("a group's container is there once it is asked for, and no name leads elsewhere")
    func containers() throws {
        let url = try #require(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.here"))
        #expect(url.path == "\(Phone.state.path)/groups/group.here")
        try Data([1]).write(to: url.appendingPathComponent("file"))
        #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "../x") == nil)
    }

    @Test("a text has its key, and is looked up in the bundle")
    func localized() throws {
        let value: String.LocalizationValue = "\(3) new, 100% \("é") \(0.5)"
        #expect(value.key == "%lld new, 100%% %@ %lf" && value.arguments == ["3", "é", "0.500000"])
        #expect(String(localized: "\(3) new, 100% \("é")") == "3 new, 100% é")
        #expect(NSString.localizedUserNotificationString(forKey: "%@ calls", arguments: ["Ada"]) == "Ada calls")
        #expect(NSString.localizedUserNotificationString(forKey: "100%", arguments: nil) == "100%")
        let folder = TemporaryFolder()
        folder.makeFolder("Name.bundle/en.lproj")
        folder.write(Array(#""%lld new" = "there are %lld";"#.utf8), to: "Name.bundle/en.lproj/Localizable.strings")
        let bundle = try #require(Bundle(path: "\(folder.path)/Name.bundle"))
        #expect(String(localized: "\(2) new", bundle: bundle) == "there are 2")
    }

    @Test(
        "a response's name is that of iOS",
        arguments: [
            ("https://a.b/c/d.png", nil, "image/png", "d.png"), ("https://a.b/c/d", nil, "image/jpeg", "d.jpg"),
            ("https://a.b/d.jpeg", nil, "image/jpeg", "d.jpeg"), ("https://a.b/d.png", nil, "text/html", "d.png.html"),
            ("https://a.b/", nil, "image/gif", "a.b.gif"), ("https://a.b/d", nil, nil, "d"),
            ("https://a.b/d", "attachment; filename=\"x y.png\"", nil, "x y.png"),
            ("https://a.b/d", "attachment; filename=\"../../etc/passwd\"", nil, "passwd"),
            ("https://a.b/d", "attachment; filename=x; filename*=UTF-8''%C3%A9.png", nil, "é.png"),
            ("https://a.b/d", "inline; filename=\"..\"", "image/png", "d.png"), ("https://a.b/d", ";=;", nil, "d"),
        ] as [(String, String?, String?, String)])
    func suggestedFilename(url: String, disposition: String?, type: String?, name: String) {
        let found = BelfryGlue.suggestedFilename(
            url: URL(string: url), contentDisposition: disposition, mimeType: type)
        #expect(found == name)
    }

    @Test("CoreFoundation's names are Foundation's classes")
    func coreFoundation() {
        let url = URL(fileURLWithPath: "/a") as CFURL
        #expect(url.path == "/a" && ("x" as CFString).length == 1 && CFAbsoluteTimeGetCurrent() > 0)
        #expect(autoreleasepool { 3 } == 3 && !ProcessInfo.processInfo.isLowPowerModeEnabled)
    }

    @Test("what cannot be had is refused, and says so")
    func refused() async {
        var error: NSError?
        var isCalled = false
        unsafe NSFileCoordinator().coordinate(readingItemAt: URL(fileURLWithPath: "/a"), error: &error) { _ in
            isCalled = true
        }
        #expect(error?.domain == NSCocoaErrorDomain && !isCalled)
        let code = await withCheckedContinuation { continuation in
            NSItemProvider().loadItem(forTypeIdentifier: "public.png") { _, error in
                continuation.resume(returning: (error as NSError?)?.code)
            }
        }
        #expect(code == -1_000)
        NSUserActivity(activityType: "a").becomeCurrent()
        let warnings = Phone.warnings(.unsupported)
        for what in ["NSFileCoordinator", "NSItemProvider", "NSUserActivity"] {
            #expect(warnings.contains { $0.contains(what) }, "\(what)")
        }
    }

    @Test("who has taken more memory than it may is told")
    func memory() async {
        let source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: nil)
        await withCheckedContinuation { continuation in
            source.setEventHandler { continuation.resume() }
            source.activate()
        }
        #expect(source.data == .critical && source.mask == [.warning, .critical])
        #expect(AccountedMemory.bytes > 1 << 20 && AccountedMemory.bytesLeft == 0)
        await withCheckedContinuation { continuation in
            source.setCancelHandler { continuation.resume() }
            #expect(!source.isCancelled)
            source.cancel()
        }
        #expect(source.isCancelled)
        DispatchSource.makeMemoryPressureSource(eventMask: .all).cancel()
    }

    @Test("the kernel says when the system was started, and nothing else") func started() throws {
        var (started, size) = (timeval(), MemoryLayout<timeval>.size)
        var name = [CTL_KERN, KERN_BOOTTIME]
        #expect(unsafe sysctl(&name, 2, &started, &size, nil, 0) == 0)
        let status = try String(contentsOfFile: "/proc/stat", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("btime ") })
        let known = try #require(line.split(separator: " ").last.flatMap { Int($0) })
        #expect(abs(started.tv_sec - known) <= 2 && (0..<1_000_000).contains(started.tv_usec))
        size = 1
        #expect(unsafe sysctl(&name, 2, &started, &size, nil, 0) == -1 && errno == ENOMEM && size > 1)
        name[1] = 1
        #expect(unsafe sysctl(&name, 2, nil, nil, nil, 0) == -1 && errno == ENOENT)
        #expect(NSEC_PER_SEC == 1_000 * NSEC_PER_MSEC && NSEC_PER_MSEC == NSEC_PER_USEC * 1_000)
        #expect(NSEC_PER_SEC == USEC_PER_SEC * NSEC_PER_USEC)
    }

    @Test("who works on is told once that the time is nearly over")
    func activities() async {
        let hold = DispatchSemaphore(value: 0)
        let calls: AsyncStream<Bool> = AsyncStream { continuation in
            ProcessInfo.processInfo.performExpiringActivity(withReason: "test") { isExpired in
                continuation.yield(isExpired)
                if isExpired { hold.signal() } else { hold.wait() }
            }
        }
        var seen: [Bool] = []
        for await isExpired in calls {
            seen.append(isExpired)
            if seen == [false] { Phone.door.activities.expire() }
            if seen.count == 2 { break }
        }
        #expect(seen == [false, true])
        Phone.door.activities.renew()
    }
}
