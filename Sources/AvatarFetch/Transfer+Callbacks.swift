internal import AvatarPolicy
internal import CCurl
internal import Glibc

/// `CURLOPT_HEADERFUNCTION`: one header line, or one of a trailer.
func onHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?)
    -> Int
{
    guard let transfer = unsafe Transfer.from(context), let bytes = unsafe bytes else { return 0 }
    let line = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: size * count))
    return transfer.take(headerLine: line) ? size * count : 0
}

/// `CURLOPT_WRITEFUNCTION`: a piece of the body.
func onBody(_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?)
    -> Int
{
    guard let transfer = unsafe Transfer.from(context), let bytes = unsafe bytes else { return 0 }
    return unsafe transfer.take(body: UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

/// `CURLOPT_OPENSOCKETFUNCTION`: asked for each address before it is connected to, whatever name, redirect or resolver
/// it came from, so nothing that changes its mind gets past (DNS rebinding).
func onOpenSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let transfer = unsafe Transfer.from(context), let address = unsafe address, purpose == CURLSOCKTYPE_IPCXN
    else {
        return -1
    }
    let family = unsafe address.pointee.family
    let length = Int(unsafe address.pointee.addrlen)
    guard let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return -1 }
    // The field is declared as a bare sockaddr; as many bytes as addrlen says are there.
    let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + start, count: length))
    guard transfer.mayConnect(family: family, socketAddress: bytes) else { return -1 }
    let type = unsafe address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return unsafe socket(family, type, address.pointee.protocol)
}

extension Transfer {
    fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        unsafe context.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether the transfer goes on. It ends with the head of any answer that has no picture, however long its body.
    fileprivate func take(headerLine line: [UInt8]) -> Bool {
        switch head.feed(line) {
        case .needMore: return true
        case .complete: return head.status == 200
        case .tooLong:
            verdict = Skip(
                .transferFailed, "\(url.hostText) sends more than \(FetchLimits.headerBytesMax) bytes of headers")
            return false
        }
    }

    fileprivate func take(body piece: UnsafeRawBufferPointer) -> Bool {
        guard body.count + piece.count <= bytesMax else {
            verdict = tooLarge
            return false
        }
        unsafe body.append(contentsOf: piece)
        // What is no picture is not listened to any longer.
        guard body.count < PictureFormat.signatureBytes || PictureFormat(of: body) != nil else {
            verdict = PictureHeader.notAnImage(body)
            return false
        }
        return true
    }

    /// The refusal of a body that is longer than the request allows.
    var tooLarge: Skip {
        Skip(.tooLarge, "the picture has more than \(bytesMax) bytes, which [Avatar] MaxBytes= sets")
    }

    /// Judges the `sockaddr` that is about to be connected to.
    fileprivate func mayConnect(family: Int32, socketAddress bytes: [UInt8]) -> Bool {
        // struct sockaddr_in and sockaddr_in6 (ip(7), ipv6(7)).
        let range = family == AF_INET ? 4..<8 : 8..<24
        guard family == AF_INET || family == AF_INET6, bytes.count >= range.upperBound,
            let address = InternetAddress(bytes: Array(bytes[range]))
        else { return false }
        let port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        if let refusal = rules.refusal(of: address, port: port, for: url) {
            addressRefusal = refusal
            return false
        }
        addressesAllowed += 1
        return true
    }
}
