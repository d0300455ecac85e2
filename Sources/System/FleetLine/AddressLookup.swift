import BelfryEventLoop
import BelfrySyscalls
import CBelfryLinux
import Fleet
import Glibc

/// An address as the kernel takes it.
struct SocketAddress: Sendable {
    let family: Int32
    private let bytes: [UInt8]

    fileprivate init(_ entry: addrinfo) {
        family = unsafe entry.ai_family
        bytes = unsafe Array(UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen)))
    }

    /// Begins to connect `socket` to it; throws if that cannot be.
    func connect(_ socket: Int32) throws(SystemError) {
        let result = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.connect(
                socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        // One that a signal interrupts goes on all the same.
        guard result == 0 || errno == EINPROGRESS || errno == EINTR else {
            throw SystemError(errno: errno, call: "connect")
        }
    }
}

/// Why a host has no address.
struct LookupFailure: Error, CustomStringConvertible {
    let description: String
}

/// Looks up the addresses of a broker's host on a thread of its own, since getaddrinfo(3) waits for name servers: as
/// long as resolv.conf(5) has it, whether somebody still wants to know or not.
final class AddressLookup: @unchecked Sendable {
    // Unchecked: `arrived` belongs to the loop's thread, all else never changes.

    typealias Outcome = Result<[SocketAddress], LookupFailure>

    /// How many addresses of a host are tried.
    static let addressesMax = 8
    /// Enough for resolvers, where the usual 8 MiB would count against limits on address space.
    private static let stackBytes = 256 << 10

    private let broker: BrokerAddress
    private let poster: LoopPoster
    private var arrived: ((Outcome) -> Void)?

    /// Begins; `arrived` is called once on the loop of `poster`, unless the lookup is abandoned before.
    init(of broker: BrokerAddress, poster: LoopPoster, arrived: @escaping (Outcome) -> Void) throws(SystemError) {
        (self.broker, self.poster, self.arrived) = (broker, poster, arrived)
        let argument = unsafe Unmanaged.passRetained(self)
        // It inherits the mask: a signal that sd-event waits for must never be taken by it.
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let result = unsafe clinux_start_thread(
            Self.stackBytes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<AddressLookup>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, argument.toOpaque())
        guard result == 0 else {
            unsafe argument.release()
            throw SystemError(errno: result, call: "pthread_create")
        }
    }

    /// Nobody waits for it any more.
    func abandon() { arrived = nil }

    private func run() {
        _ = unsafe clinux_name_thread("belfry-names")
        let outcome = Self.addresses(of: broker)
        poster.post { [self] in
            let told = arrived
            arrived = nil
            told?(outcome)
        }
    }

    /// The addresses of `broker`; at once if its host is an address itself.
    static func addresses(of broker: BrokerAddress) -> Outcome {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICSERV | (broker.isNumeric ? AI_NUMERICHOST : 0)
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(broker.host, "\(broker.port)", &hints, &found)
        let failure = errno
        guard result == 0 else {
            let why =
                result == EAI_SYSTEM
                ? SystemError(errno: failure, call: "getaddrinfo").reason
                : unsafe String(cString: gai_strerror(result))
            return .failure(LookupFailure(description: "\(broker.host): \(why)"))
        }
        defer { unsafe freeaddrinfo(found) }
        var addresses: [SocketAddress] = []
        var next = unsafe found
        while let entry = unsafe next?.pointee, addresses.count < addressesMax {
            unsafe addresses.append(SocketAddress(entry))
            unsafe next = entry.ai_next
        }
        return .success(addresses)
    }
}
