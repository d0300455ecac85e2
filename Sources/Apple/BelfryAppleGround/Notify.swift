import Dispatch

// Source of this file: Apple, notify(3) and <notify.h>.

/// It was done.
public let NOTIFY_STATUS_OK: Int32 = 0
/// The name is not valid.
public let NOTIFY_STATUS_INVALID_NAME: Int32 = 1
/// No registration has that token.
public let NOTIFY_STATUS_INVALID_TOKEN: Int32 = 2
/// An argument is nil that must not be.
public let NOTIFY_STATUS_NULL_INPUT: Int32 = 10
/// It could not be done.
public let NOTIFY_STATUS_FAILED: Int32 = 1_000_000
/// A token that no registration has.
public let NOTIFY_TOKEN_INVALID: Int32 = -1

/// The function called with the token of the registration for each notification.
public typealias notify_handler_t = (Int32) -> Void

private func status(_ status: Int32) -> UInt32 { UInt32(status) }

/// Posts to every process of this user that registered `name`.
@discardableResult
public func notify_post(_ name: UnsafePointer<CChar>!) -> UInt32 {
    guard let name = unsafe name else { return status(NOTIFY_STATUS_NULL_INPUT) }
    guard let name = unsafe String(validatingCString: name) else { return status(NOTIFY_STATUS_INVALID_NAME) }
    return status(CFNotificationCenter.darwin.post(name) ? NOTIFY_STATUS_OK : NOTIFY_STATUS_FAILED)
}

/// Calls `handler` on `queue` for each notification `name` from now on, until the token is cancelled. Several that come
/// close together are one, as on Darwin.
@discardableResult
public func notify_register_dispatch(
    _ name: UnsafePointer<CChar>!, _ out_token: UnsafeMutablePointer<Int32>!, _ queue: DispatchQueue!,
    _ handler: notify_handler_t!
) -> UInt32 {
    guard let name = unsafe name, let out_token = unsafe out_token, let queue, let handler else {
        return status(NOTIFY_STATUS_NULL_INPUT)
    }
    unsafe out_token.pointee = NOTIFY_TOKEN_INVALID
    guard let name = unsafe String(validatingCString: name) else { return status(NOTIFY_STATUS_INVALID_NAME) }
    // It runs only on the queue that the code chose.
    nonisolated(unsafe) let handle = handler
    let token = CFNotificationCenter.darwin.register(name) { token in
        queue.async {
            if notify_is_valid_token(token) { unsafe handle(token) }
        }
    }
    guard let token else { return status(NOTIFY_STATUS_FAILED) }
    unsafe out_token.pointee = token
    return status(NOTIFY_STATUS_OK)
}

/// Cancels a registration: its handler is not called any more.
@discardableResult
public func notify_cancel(_ token: Int32) -> UInt32 {
    guard let center = CFNotificationCenter.registered(with: token) else { return status(NOTIFY_STATUS_INVALID_TOKEN) }
    center.cancel(token)
    return status(NOTIFY_STATUS_OK)
}

/// Reads the number stored with the name of a registration: 0 until a process sets it.
@discardableResult
public func notify_get_state(_ token: Int32, _ state64: UnsafeMutablePointer<UInt64>!) -> UInt32 {
    guard let state64 = unsafe state64 else { return status(NOTIFY_STATUS_NULL_INPUT) }
    guard let state = CFNotificationCenter.registered(with: token)?.state(of: token) else {
        return status(NOTIFY_STATUS_INVALID_TOKEN)
    }
    unsafe state64.pointee = state
    return status(NOTIFY_STATUS_OK)
}

/// Stores a number with the name of a registration, for all processes of this user; posts nothing.
@discardableResult
public func notify_set_state(_ token: Int32, _ state64: UInt64) -> UInt32 {
    guard let center = CFNotificationCenter.registered(with: token) else { return status(NOTIFY_STATUS_INVALID_TOKEN) }
    return status(center.setState(state64, of: token) ? NOTIFY_STATUS_OK : NOTIFY_STATUS_FAILED)
}

/// Whether a registration has this token.
public func notify_is_valid_token(_ val: Int32) -> Bool { CFNotificationCenter.registered(with: val) != nil }
