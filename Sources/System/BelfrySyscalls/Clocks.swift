import CBelfryLinux
import Glibc

/// Microseconds of CLOCK_BOOTTIME, cut to whole ones.
public func bootTimeMicroseconds() -> Int64 { microseconds(of: CLOCK_BOOTTIME) }

/// Microseconds since 1970 by the wall clock, cut to whole ones.
public func wallTimeMicroseconds() -> Int64 { microseconds(of: CLOCK_REALTIME) }

private func microseconds(of clock: clockid_t) -> Int64 {
    if let played { return played.clock(clock) }
    var time = timespec()
    let result = unsafe clock_gettime(clock, &time)
    precondition(result == 0, "the kernel has no clock \(clock)")
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}
