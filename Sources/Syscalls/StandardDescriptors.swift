internal import CLinux
internal import Glibc

/// Opens `/dev/null` for each of the descriptors 0, 1 and 2 that the caller closed, so that nothing this program opens
/// later takes that number and is read or written by mistake. The first thing a program does.
public func openMissingStandardDescriptors() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
        // The lowest free number is the missing one, since those below it are open.
        _ = unsafe open("/dev/null", O_RDWR)
    }
}
