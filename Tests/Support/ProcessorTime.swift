public import BelfryTerms
import Glibc

/// How long this thread has kept a processor busy, which the machine's load does not change (CLOCK_THREAD_CPUTIME_ID).
public func processorTime() -> TimeSpan {
    var time = timespec()
    let result = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    precondition(result == 0, "the kernel does not count a thread's time")
    return TimeSpan(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
}
