internal import AvatarPolicy
internal import CLinux
internal import Confinement
internal import Glibc
internal import Syscalls

/// What the fetcher gives up, in three steps, each before the next kind of foreign bytes is read.
///
/// 1. Before the request is read: privileges, descriptors, memory, processor time, file size, the time it may exist.
/// 2. Before the network: writing files, reading any but what names and certificates need, starting programs, sockets
///    other than of the internet. The session bus is out of reach: it is an AF_UNIX socket.
/// 3. Before decoding: the network, opening anything, threads.
///
/// Steps 2 and 3 are Landlock and a system-call filter; where the kernel has one of them only, that one.
enum FetcherConfinement {
    /// The picture is written to this descriptor, which whoever starts the fetcher has opened.
    static let pictureDescriptor: Int32 = 3
    /// The largest picture at 4 bytes a pixel, its body, the libraries and a stack for the resolver's thread; of these
    /// 200 MiB were enough for 8192 × 4096 pixels.
    static let addressSpaceBytes = 384 << 20
    /// Milliseconds past its limit after which a fetcher that hangs is ended.
    static let millisecondsOfGrace = 500

    /// Step 1.
    static func confineProcess() throws(SystemError) {
        ProcessConfinement.volunteerForMemoryShortage()
        try ProcessConfinement.beHumble()
        try ProcessConfinement.closeDescriptors(from: UInt32(pictureDescriptor + 1))
        ProcessConfinement.useOneArena()
        ProcessConfinement.ignoreFileSizeSignal()
        try ResourceLimit.addressSpaceBytes.lower(to: addressSpaceBytes)
        try ResourceLimit.fileBytes.lower(to: FetchLimits.writtenBytesMax)
        try ResourceLimit.descriptors.lower(to: 64)
        try confineTime(milliseconds: FetchLimits.millisecondsMax)
    }

    /// Ends the process by a signal a little after `milliseconds`, and before it used as much processor time.
    static func confineTime(milliseconds: Int) throws(SystemError) {
        try ProcessConfinement.endAfter(milliseconds: milliseconds + millisecondsOfGrace)
        try ResourceLimit.processorSeconds.lower(to: milliseconds / 1_000 + 2)
    }

    /// Step 2. `ports` are all that may be connected to; nil for any.
    static func confineToNetwork(ports: [UInt16]?) {
        // 53 for a resolver whose answer does not fit a datagram.
        try? Landlock.confine(readable: pathsRead, ports: ports.map { $0 + [53] })
        try? SystemCallLists.network.install(otherwise: .fail(ENOSYS))
    }

    /// Step 3.
    static func confineToDecoding() {
        try? ProcessConfinement.closeDescriptors(from: UInt32(pictureDescriptor + 1))
        try? ResourceLimit.processes.lower(to: 0)
        try? Landlock.confine(readable: [], ports: [])
        try? SystemCallLists.decoding.install(otherwise: .fail(ENOSYS))
    }

    /// What glibc's resolver, libcurl with OpenSSL, and gdk-pixbuf read.
    private static var pathsRead: [String] {
        var paths = [
            "/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache",
            "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/host.conf",
            "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls", "/etc/pki/ca-trust", "/etc/ca-certificates",
            "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/usr/share/pki",
        ]
        for name in ["SSL_CERT_FILE", "SSL_CERT_DIR"] {
            if let path = unsafe getenv(name), unsafe path.pointee != 0 { paths.append(unsafe String(cString: path)) }
        }
        return paths
    }
}
