@_exported public import typealias BelfryAppleGround.CFBoolean
@_exported public import typealias BelfryAppleGround.CFData
@_exported public import typealias BelfryAppleGround.CFDictionary
@_exported public import typealias BelfryAppleGround.CFString
@_exported public import typealias BelfryAppleGround.CFTypeRef
@_exported public import typealias BelfryAppleGround.OSStatus
@_exported public import class BelfryAppleGround.SecTrust
@_exported public import Foundation

// The keys and values of keychain items and queries, in Apple's spelling.

/// The class of an item.
public var kSecClass: CFString { "class" }
/// A password.
public var kSecClassGenericPassword: CFString { "genp" }
/// A password of a server.
public var kSecClassInternetPassword: CFString { "inet" }
/// A certificate; none is kept here.
public var kSecClassCertificate: CFString { "cert" }
/// A key; none is kept here.
public var kSecClassKey: CFString { "keys" }
/// A certificate with its key; none is kept here.
public var kSecClassIdentity: CFString { "idnt" }

/// When an item may be read: on Linux always.
public var kSecAttrAccessible: CFString { "pdmn" }
/// After the device was unlocked once.
public var kSecAttrAccessibleAfterFirstUnlock: CFString { "ck" }
/// The same, on this device alone.
public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString { "cku" }
/// While the device is unlocked.
public var kSecAttrAccessibleWhenUnlocked: CFString { "ak" }
/// The same, on this device alone.
public var kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString { "aku" }
/// While the device has a passcode, on this device alone.
public var kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString { "akpu" }
/// Always.
public var kSecAttrAccessibleAlways: CFString { "dk" }
/// Always, on this device alone.
public var kSecAttrAccessibleAlwaysThisDeviceOnly: CFString { "dku" }
/// The group of apps that share an item.
public var kSecAttrAccessGroup: CFString { "agrp" }
/// Whether an item goes to other devices: on Linux none does.
public var kSecAttrSynchronizable: CFString { "sync" }
/// Whether it does or not.
public var kSecAttrSynchronizableAny: CFString { "syna" }
/// When an item was made.
public var kSecAttrCreationDate: CFString { "cdat" }
/// When an item was changed.
public var kSecAttrModificationDate: CFString { "mdat" }
/// The description that people see.
public var kSecAttrDescription: CFString { "desc" }
/// A remark.
public var kSecAttrComment: CFString { "icmt" }
/// Who made an item.
public var kSecAttrCreator: CFString { "crtr" }
/// A kind.
public var kSecAttrType: CFString { "type" }
/// The name that people see.
public var kSecAttrLabel: CFString { "labl" }
/// Whether an item is not shown.
public var kSecAttrIsInvisible: CFString { "invi" }
/// Whether the item has no password.
public var kSecAttrIsNegative: CFString { "nega" }
/// The account.
public var kSecAttrAccount: CFString { "acct" }
/// The service that the password is for.
public var kSecAttrService: CFString { "svce" }
/// Any other data.
public var kSecAttrGeneric: CFString { "gena" }
/// The domain of a server.
public var kSecAttrSecurityDomain: CFString { "sdmn" }
/// The server.
public var kSecAttrServer: CFString { "srvr" }
/// Its protocol.
public var kSecAttrProtocol: CFString { "ptcl" }
/// How it authenticates people.
public var kSecAttrAuthenticationType: CFString { "atyp" }
/// Its port.
public var kSecAttrPort: CFString { "port" }
/// The path on it.
public var kSecAttrPath: CFString { "path" }

/// The secret.
public var kSecValueData: CFString { "v_Data" }
/// Whether the secret is wanted.
public var kSecReturnData: CFString { "r_Data" }
/// Whether the attributes are wanted.
public var kSecReturnAttributes: CFString { "r_Attributes" }
/// Whether an object is wanted; there is none here.
public var kSecReturnRef: CFString { "r_Ref" }
/// Whether a lasting reference is wanted; there is none here.
public var kSecReturnPersistentRef: CFString { "r_PersistentRef" }
/// How many items are wanted.
public var kSecMatchLimit: CFString { "m_Limit" }
/// One.
public var kSecMatchLimitOne: CFString { "m_LimitOne" }
/// All.
public var kSecMatchLimitAll: CFString { "m_LimitAll" }
/// The question to the person; on Linux it is never asked.
public var kSecUseOperationPrompt: CFString { "u_OpPrompt" }
/// Which keychain; there is one.
public var kSecUseDataProtectionKeychain: CFString { "nleg" }
/// How the person is asked; on Linux never.
public var kSecUseAuthenticationUI: CFString { "u_AuthUI" }
/// Fails instead.
public var kSecUseAuthenticationUIFail: CFString { "u_AuthUIF" }
/// Skips items that need a question.
public var kSecUseAuthenticationUISkip: CFString { "u_AuthUIS" }
