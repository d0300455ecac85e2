import BelfryConfinement
public import BelfrySyscalls
import CBelfryLinux
import Glibc

/// What an extension's process gives up before it becomes the extension's program: doing something to other processes.
///
/// It keeps files, the bus and the network, as SECURITY.md says. What the kernel does not have is gone without.
public enum ExtensionConfinement {
    /// Has this process, which is confined for good, go on as `program`, and end with the process that started it.
    ///
    /// - Throws: why it cannot be run.
    public static func become(_ program: String) throws(SystemError) -> Never {
        confine()
        // Ignored by our own programs, which an extension's code does not expect.
        _ = signal(SIGPIPE, SIG_DFL)
        var environment = Environment.allOfThisProcess()
        // A crash of optimised code says nothing without one.
        environment[backtrace] = "enable=yes,color=no,interactive=no"
        try becomeProgram(program, [], environment: environment)
    }

    /// The variable by which Swift's runtime knows what to do about a crash.
    static let backtrace = "SWIFT_BACKTRACE"
    /// Its value for our own program that confines itself: it would complain where the toolchain is not installed.
    static let withoutBacktrace = "enable=no,swift-backtrace=/"

    private static func confine() {
        try? ProcessConfinement.endWithParent()
        try? ProcessConfinement.forbidNewPrivileges()
        try? Landlock.confineToOwnProcesses()
        try? filter(ofPID: getpid()).install(otherwise: .allow)
    }

    /// Refuses what reaches other processes than `pid`, which leads a process group: signals, also those that the
    /// kernel sends when a descriptor is ready (F_SETOWN, and of what kind, F_SETSIG), and looking into them.
    ///
    /// A filter knows numbers alone: a child of its own is reached as one of the group.
    static func filter(ofPID pid: Int32) -> SystemCallFilter {
        var filter = SystemCallFilter()
        let (own, group) = (UInt32(bitPattern: pid), UInt32(bitPattern: -pid))
        filter.add(
            Int(SYS_kill), .allow, inCases: [own, 0, group].map { [.argument(0, is: $0)] }, otherwise: .fail(EPERM))
        for call in [SYS_tgkill, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo] {
            filter.add(Int(call), .allow, inCases: [[.argument(0, is: own)]], otherwise: .fail(EPERM))
        }
        let lookers = [
            SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, pidfdSendSignal, pidfdGetFD, processMadvise,
        ]
        filter.add(lookers.map { Int($0) }, .fail(EPERM))
        let ownerCommands: [UInt32] = [8 /* F_SETOWN */, 10 /* F_SETSIG */, 15 /* F_SETOWN_EX */]
        filter.add(
            Int(SYS_fcntl), .fail(EPERM), inCases: ownerCommands.map { [.argument(1, is: $0)] }, otherwise: .allow)
        let ownerRequests: [UInt32] = [0x8901 /* FIOSETOWN */, 0x8902 /* SIOCSPGRP */]
        filter.add(
            Int(SYS_ioctl), .fail(EPERM), inCases: ownerRequests.map { [.argument(1, is: $0)] }, otherwise: .allow)
        return filter
    }

    // The same on all machines; Debian 12's headers lack the last.
    private static let pidfdSendSignal: Int32 = 424
    private static let pidfdGetFD: Int32 = 438
    private static let processMadvise: Int32 = 440
}
