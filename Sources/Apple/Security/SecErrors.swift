public import BelfryAppleGround

// The results of keychain functions.

/// It was done.
public let errSecSuccess: OSStatus = 0
/// The status for a function or a query that the keychain does not have.
public let errSecUnimplemented: OSStatus = -4
/// The file cannot be written.
public let errSecIO: OSStatus = -36
/// The parameters do not fit.
public let errSecParam: OSStatus = -50
/// Memory is short.
public let errSecAllocate: OSStatus = -108
/// The person cancelled it.
public let errSecUserCanceled: OSStatus = -128
/// There is no keychain.
public let errSecNotAvailable: OSStatus = -25_291
/// It was not allowed.
public let errSecAuthFailed: OSStatus = -25_293
/// Such an item exists already.
public let errSecDuplicateItem: OSStatus = -25_299
/// There is no such item.
public let errSecItemNotFound: OSStatus = -25_300
/// The person would have to be asked.
public let errSecInteractionNotAllowed: OSStatus = -25_308
/// It cannot be read.
public let errSecDecode: OSStatus = -26_275
/// The program has no entitlement.
public let errSecMissingEntitlement: OSStatus = -34_018

/// What `status` means, in a few words; nil for a number that a keychain does not answer.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    let texts: [OSStatus: String] = [
        errSecSuccess: "done",
        errSecUnimplemented: "not done on Linux",
        errSecIO: "the keychain cannot be written",
        errSecParam: "the parameters do not fit",
        errSecAllocate: "no memory",
        errSecUserCanceled: "given up",
        errSecNotAvailable: "there is no place for a keychain",
        errSecAuthFailed: "not allowed",
        errSecDuplicateItem: "there is such an item",
        errSecItemNotFound: "there is no such item",
        errSecInteractionNotAllowed: "nobody can be asked",
        errSecDecode: "it cannot be read",
        errSecMissingEntitlement: "an entitlement is missing",
    ]
    return texts[status].map { $0 as CFString }
}
