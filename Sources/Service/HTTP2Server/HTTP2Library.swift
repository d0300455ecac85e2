import BelfrySyscalls
import CBelfryNGHTTP2
import Glibc
import PushAPI

/// nghttp2's settings for all connections: the functions that it calls back, and what a client may not do.
@safe
final class HTTP2Library {
    private let callbacks: OpaquePointer
    private let options: OpaquePointer

    init() throws(SystemError) {
        var callbacks: OpaquePointer?
        var options: OpaquePointer?
        guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks = unsafe callbacks,
            unsafe nghttp2_option_new(&options) == 0, let options = unsafe options
        else { throw SystemError(errno: ENOMEM, call: "nghttp2_option_new") }
        unsafe self.callbacks = callbacks
        unsafe self.options = options
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, requestBegan)
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks, headerCame)
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, bodyCame)
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frameCame)
        unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, frameWent)
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamClosed)
        // Otherwise nghttp2 keeps closed streams in memory for its tree of priorities.
        unsafe nghttp2_option_set_no_closed_streams(options, 1)
        // A blank at a value's end is cut off here, and one at its beginning resets its stream as ever.
        unsafe nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(options, 1)
        unsafe nghttp2_option_set_stream_reset_rate_limit(
            options, HTTP2Limits.clientResetsMax, HTTP2Limits.clientResetsPerSecond)
        unsafe nghttp2_option_set_max_continuations(options, HTTP2Limits.continuationsMax)
        unsafe nghttp2_option_set_max_settings(options, HTTP2Limits.settingsMax)
        unsafe nghttp2_option_set_max_outbound_ack(options, HTTP2Limits.acknowledgementsMax)
    }

    deinit {
        unsafe nghttp2_option_del(options)
        unsafe nghttp2_session_callbacks_del(callbacks)
    }

    /// A session that calls `connection` back, which must outlive it; nil without memory.
    func makeSession(for connection: HTTP2Connection) -> OpaquePointer? {
        var session: OpaquePointer?
        let context = unsafe Unmanaged.passUnretained(connection).toOpaque()
        guard unsafe nghttp2_session_server_new2(&session, callbacks, context, options) == 0 else { return nil }
        return unsafe session
    }
}

private func connection(_ context: UnsafeMutableRawPointer?) -> HTTP2Connection {
    guard let context = unsafe context else { preconditionFailure("a session without its connection") }
    return unsafe Unmanaged<HTTP2Connection>.fromOpaque(context).takeUnretainedValue()
}

private func requestBegan(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame = unsafe frame, unsafe cnghttp2_is_request(frame) != 0 else { return 0 }
    unsafe connection(context).began(cnghttp2_stream(frame))
    return 0
}

private func headerCame(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ name: UnsafePointer<UInt8>?,
    _ nameCount: Int, _ value: UnsafePointer<UInt8>?, _ valueCount: Int, _ flags: UInt8,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame = unsafe frame else { return 0 }
    let name = unsafe UnsafeBufferPointer(start: name, count: nameCount)
    let value = unsafe UnsafeBufferPointer(start: value, count: valueCount)
    let isTaken = unsafe connection(context).header(
        name.span, value.span, of: cnghttp2_stream(frame), isTrailer: cnghttp2_is_request(frame) == 0)
    return isTaken ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
}

private func bodyCame(
    _ session: OpaquePointer?, _ flags: UInt8, _ stream: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    let bytes = unsafe UnsafeBufferPointer(start: bytes, count: count)
    unsafe connection(context).body(bytes.span, of: stream)
    return 0
}

private func frameCame(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame = unsafe frame else { return 0 }
    let type = UInt32(unsafe cnghttp2_type(frame))
    let isEnd = UInt32(unsafe cnghttp2_flags(frame)) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
    if isEnd, type == NGHTTP2_HEADERS.rawValue || type == NGHTTP2_DATA.rawValue {
        unsafe connection(context).ended(cnghttp2_stream(frame))
    } else {
        let isAnswer = UInt32(unsafe cnghttp2_flags(frame)) & NGHTTP2_FLAG_ACK.rawValue != 0
        if type == NGHTTP2_PING.rawValue, isAnswer { unsafe connection(context).pingAnswered() }
        if type == NGHTTP2_GOAWAY.rawValue { unsafe connection(context).goodbyeCame() }
        unsafe connection(context).frameCame()
    }
    return 0
}

private func frameWent(
    _ session: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame = unsafe frame else { return 0 }
    let type = UInt32(unsafe cnghttp2_type(frame))
    let isEnd = UInt32(unsafe cnghttp2_flags(frame)) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
    if type == NGHTTP2_RST_STREAM.rawValue {
        unsafe connection(context).countReset()
    } else if type == NGHTTP2_GOAWAY.rawValue {
        unsafe connection(context).noticeSent()
    } else if isEnd, type == NGHTTP2_HEADERS.rawValue || type == NGHTTP2_DATA.rawValue {
        unsafe connection(context).answered(cnghttp2_stream(frame))
    }
    return 0
}

private func streamClosed(
    _ session: OpaquePointer?, _ stream: Int32, _ code: UInt32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe connection(context).closed(stream)
    return 0
}

/// An answer as nghttp2 takes it, which copies all but the body.
enum HTTP2Answer {
    static func submit(_ answer: EndpointAnswer, to exchange: HTTP2Exchange, of session: OpaquePointer) -> Int32 {
        exchange.answerBody = answer.body
        var (status, apnsID, uniqueID) = (String(answer.status), answer.apnsID, answer.uniqueID ?? "")
        return status.withUTF8 { status in
            apnsID.withUTF8 { apnsID in
                uniqueID.withUTF8 { uniqueID in
                    unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: 4) { room in
                        var fields = unsafe HTTP2Fields(room: room)
                        unsafe fields.add(":status", status)
                        unsafe fields.add("apns-id", apnsID)
                        if answer.uniqueID != nil { unsafe fields.add("apns-unique-id", uniqueID) }
                        return unsafe submit(&fields, to: exchange, of: session)
                    }
                }
            }
        }
    }

    private static func submit(
        _ fields: inout HTTP2Fields, to exchange: HTTP2Exchange, of session: OpaquePointer
    ) -> Int32 {
        guard !exchange.answerBody.isEmpty else { return unsafe fields.submit(to: exchange.stream, of: session, nil) }
        let type: StaticString = "application/json"
        unsafe fields.add(
            "content-type", UnsafeBufferPointer(start: type.utf8Start, count: type.utf8CodeUnitCount))
        var provider = unsafe nghttp2_data_provider()
        unsafe provider.source.ptr = Unmanaged.passUnretained(exchange).toOpaque()
        unsafe provider.read_callback = readBody
        return unsafe fields.submit(to: exchange.stream, of: session, &provider)
    }
}

/// Header fields, each where its bytes are already.
@safe
private struct HTTP2Fields {
    private let room: UnsafeMutableBufferPointer<nghttp2_nv>
    private var count = 0

    init(room: UnsafeMutableBufferPointer<nghttp2_nv>) { unsafe self.room = unsafe room }

    mutating func add(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>) {
        // nghttp2 writes to neither.
        unsafe room.initializeElement(
            at: count,
            to: nghttp2_nv(
                name: UnsafeMutablePointer(mutating: name.utf8Start),
                value: UnsafeMutablePointer(mutating: value.baseAddress), namelen: name.utf8CodeUnitCount,
                valuelen: value.count, flags: 0))
        count += 1
    }

    func submit(
        to stream: Int32, of session: OpaquePointer, _ provider: UnsafePointer<nghttp2_data_provider>?
    ) -> Int32 {
        unsafe nghttp2_submit_response(session, stream, room.baseAddress, count, provider)
    }
}

private func readBody(
    _ session: OpaquePointer?, _ stream: Int32, _ room: UnsafeMutablePointer<UInt8>?, _ roomCount: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let pointer = unsafe source?.pointee.ptr, let room = unsafe room, let flags = unsafe flags else { return 0 }
    let exchange = unsafe Unmanaged<HTTP2Exchange>.fromOpaque(pointer).takeUnretainedValue()
    let part = exchange.answerBody.dropFirst(exchange.sentBytes).prefix(roomCount)
    _ = unsafe UnsafeMutableBufferPointer(start: room, count: roomCount).update(fromContentsOf: part)
    exchange.sentBytes += part.count
    if exchange.sentBytes == exchange.answerBody.count {
        unsafe flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
    }
    return part.count
}
