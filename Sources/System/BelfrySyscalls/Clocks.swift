import CBelfryLinux
import Glibc

/// Microseconds of CLOCK_BOOTTIME, cut to whole ones.
public func bootTimeMicroseconds() -> Int64 { microseconds(of: CLOCK_BOOTTIME) }

/// Microseconds since 1970 by the wall clock, cut to whole ones.
public func wallTimeMicroseconds() -> Int64 { microseconds(of: CLOCK_REALTIME) }

/// The minute of the day, from 0 to 1439, by the machine's local time. The corresponding C function is `localtime_r`.
public func localMinuteOfDay() -> Int {
    var now = time_t(wallTimeMicroseconds() / 1_000_000)
    var parts = unsafe tm()
    guard unsafe localtime_r(&now, &parts) != nil else { return 0 }
    return unsafe Int(parts.tm_hour) * 60 + Int(parts.tm_min)
}

private func microseconds(of clock: clockid_t) -> Int64 {
    if let played { return played.clock(clock) }
    var time = timespec()
    let result = unsafe clock_gettime(clock, &time)
    precondition(result == 0, "the kernel has no clock \(clock)")
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}
