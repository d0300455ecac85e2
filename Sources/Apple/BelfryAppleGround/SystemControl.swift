import BelfryTerms

// C functions and constants that come with Foundation on iOS, and not here.

/// How many nanoseconds are a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// How many nanoseconds are a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// How many nanoseconds are a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// How many microseconds are a second.
public let USEC_PER_SEC: UInt64 = 1_000_000

/// The kernel's own values.
public let CTL_KERN: Int32 = 1
/// When the system was started, as a `timeval`.
public let KERN_BOOTTIME: Int32 = 21

/// Reads a value of the kernel, sysctl(3): when the system was started. For all others it fails with ENOENT and a
/// warning.
public func sysctl(
    _ name: UnsafeMutablePointer<Int32>!, _ namelen: UInt32, _ oldp: UnsafeMutableRawPointer!,
    _ oldlenp: UnsafeMutablePointer<Int>!, _ newp: UnsafeMutableRawPointer!, _ newlen: Int
) -> Int32 {
    let asked = unsafe UnsafeBufferPointer(start: name, count: name == nil ? 0 : Int(namelen))
    guard unsafe asked.elementsEqual([CTL_KERN, KERN_BOOTTIME]) else {
        KeeperDoor.warn(.unsupported, "sysctl(\(unsafe asked.map(String.init).joined(separator: ".")))")
        return failed(ENOENT)
    }
    guard unsafe newp == nil else { return failed(EPERM) }
    let size = MemoryLayout<timeval>.size
    defer { unsafe oldlenp?.pointee = size }
    // Without room it only reports the size (sysctl(3)).
    guard let oldp = unsafe oldp else { return 0 }
    guard let room = unsafe oldlenp?.pointee, room >= size else { return failed(ENOMEM) }
    // The clock says how long ago the system was started, also counting sleep.
    var now = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &now)
    let seconds = Date().timeIntervalSince1970 - Double(now.tv_sec) - Double(now.tv_nsec) / 1e9
    let whole = seconds.rounded(.down)
    let started = timeval(tv_sec: Int(whole), tv_usec: Int((seconds - whole) * 1e6))
    unsafe oldp.storeBytes(of: started, as: timeval.self)
    return 0
}

private func failed(_ number: Int32) -> Int32 {
    errno = number
    return -1
}
