import BelfryAppleGround
import BelfryPropertyList

/// Keeps an item for the app and its extensions; writes the result that `attributes` ask for to `result`. Source:
/// Apple, `SecItemAdd`.
///
/// - Returns: `errSecSuccess`, `errSecDuplicateItem`, or another error if it cannot be kept.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    guard let query = KeychainQuery(attributes) else { return errSecParam }
    guard query.isPossible else { return errSecUnimplemented }
    let (status, found) = Keychain.change { $0.add(query) }
    if status == errSecSuccess { unsafe result?.pointee = query.answer(found) }
    return status
}

/// Searches for items, and returns what is wanted of the first or of all. Source: Apple, `SecItemCopyMatching`.
///
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, or another error if it cannot search.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    guard let query = KeychainQuery(query) else { return errSecParam }
    guard query.isPossible else { return errSecUnimplemented }
    let found = Keychain.read()?.items(for: query)
    guard let found else { return errSecNotAvailable }
    guard !found.isEmpty else { return errSecItemNotFound }
    unsafe result?.pointee = query.answer(found)
    return errSecSuccess
}

/// Changes the items that `query` finds. Source: Apple, `SecItemUpdate`.
///
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, `errSecDuplicateItem`, or another error.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    guard let query = KeychainQuery(query), let changes = KeychainQuery.listed(attributesToUpdate),
        changes[kSecClass as String] == nil
    else { return errSecParam }
    guard query.isPossible else { return errSecUnimplemented }
    return Keychain.change { $0.update(query, changes) }.status
}

/// Removes all items that `query` finds. Source: Apple, `SecItemDelete`.
///
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, or another error.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    guard let query = KeychainQuery(query) else { return errSecParam }
    guard query.isPossible else { return errSecUnimplemented }
    return Keychain.change { $0.remove(query) }.status
}
