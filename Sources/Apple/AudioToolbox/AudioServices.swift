@_exported public import typealias BelfryAppleGround.CFRunLoop
@_exported public import typealias BelfryAppleGround.CFString
@_exported public import typealias BelfryAppleGround.CFURL
@_exported public import typealias BelfryAppleGround.OSStatus
@_exported public import Foundation

/// The number of a sound.
public typealias SystemSoundID = UInt32
/// The number of a sound's property.
public typealias AudioServicesPropertyID = UInt32
/// Called after each attempt to play a sound.
public typealias AudioServicesSystemSoundCompletionProc =
    @convention(c) (SystemSoundID, UnsafeMutableRawPointer?) -> Void

/// A truth value of C.
public struct DarwinBoolean: ExpressibleByBooleanLiteral, Equatable, Sendable {
    /// Whether it is true.
    public let boolValue: Bool

    /// A truth value.
    public init(_ value: Bool) { boolValue = value }

    /// A truth value.
    public init(booleanLiteral value: Bool) { boolValue = value }
}

/// Vibrates.
public let kSystemSoundID_Vibrate: SystemSoundID = 0xFFF
/// The user's alert.
public let kSystemSoundID_UserPreferredAlert: SystemSoundID = 0x1000
/// Flashes the screen.
public let kSystemSoundID_FlashScreen: SystemSoundID = 0xFFE
/// No error.
public let kAudioServicesNoError: OSStatus = 0
/// There is no such property.
public let kAudioServicesUnsupportedPropertyError: OSStatus = 0x7074_793F
/// A property has another size.
public let kAudioServicesBadPropertySizeError: OSStatus = 0x2173_697A
/// A sound's number has another size.
public let kAudioServicesBadSpecifierSizeError: OSStatus = 0x2173_7063
/// The sound cannot be made, or there is none.
public let kAudioServicesSystemSoundUnspecifiedError: OSStatus = -1500
/// The player did not answer.
public let kAudioServicesSystemSoundClientTimedOutError: OSStatus = -1501
/// The sound is too long.
public let kAudioServicesSystemSoundExceededMaximumDurationError: OSStatus = -1502
/// Whether a sound belongs to the user interface.
public let kAudioServicesPropertyIsUISound: AudioServicesPropertyID = 0x6973_7569
/// Whether a sound plays on if the app dies.
public let kAudioServicesPropertyCompletePlaybackIfAppDies: AudioServicesPropertyID = 0x6966_6469

/// Makes a sound from the file at `inFileURL`.
///
/// - Returns: `kAudioServicesSystemSoundUnspecifiedError` if there is no such file, or no room for another sound.
@discardableResult
public func AudioServicesCreateSystemSoundID(
    _ inFileURL: CFURL, _ outSystemSoundID: UnsafeMutablePointer<SystemSoundID>
) -> OSStatus {
    let url = inFileURL as URL
    guard url.isFileURL, FileManager.default.isReadableFile(atPath: url.path),
        let id = SystemSounds.make(path: url.standardizedFileURL.path)
    else { return kAudioServicesSystemSoundUnspecifiedError }
    unsafe outSystemSoundID.pointee = id
    return kAudioServicesNoError
}

/// Forgets a sound.
///
/// - Returns: `kAudioServicesSystemSoundUnspecifiedError` if there is none of this number.
@discardableResult
public func AudioServicesDisposeSystemSoundID(_ inSystemSoundID: SystemSoundID) -> OSStatus {
    SystemSounds.remove(inSystemSoundID) ? kAudioServicesNoError : kAudioServicesSystemSoundUnspecifiedError
}

/// Plays a sound, or vibrates.
public func AudioServicesPlaySystemSound(_ inSystemSoundID: SystemSoundID) {
    SystemSounds.play(inSystemSoundID, vibrates: false, nil)
}

/// Plays a sound and vibrates.
public func AudioServicesPlayAlertSound(_ inSystemSoundID: SystemSoundID) {
    SystemSounds.play(inSystemSoundID, vibrates: true, nil)
}

/// Plays a sound, or vibrates, and calls `inCompletionBlock` on a serial queue once the attempt is over, successful or
/// not.
public func AudioServicesPlaySystemSoundWithCompletion(
    _ inSystemSoundID: SystemSoundID, _ inCompletionBlock: (() -> Void)?
) {
    SystemSounds.play(inSystemSoundID, vibrates: false, inCompletionBlock)
}

/// Plays a sound and vibrates, and calls `inCompletionBlock` on a serial queue once the attempt is over, successful or
/// not.
public func AudioServicesPlayAlertSoundWithCompletion(
    _ inSystemSoundID: SystemSoundID, _ inCompletionBlock: (() -> Void)?
) {
    SystemSounds.play(inSystemSoundID, vibrates: true, inCompletionBlock)
}

/// Has `inCompletionRoutine` called after each attempt to play a sound, in a run loop (nil is the main one) and a mode
/// of it (nil is the default one).
@discardableResult
public func AudioServicesAddSystemSoundCompletion(
    _ inSystemSoundID: SystemSoundID, _ inRunLoop: CFRunLoop?, _ inRunLoopMode: CFString?,
    _ inCompletionRoutine: @escaping AudioServicesSystemSoundCompletionProc, _ inClientData: UnsafeMutableRawPointer?
) -> OSStatus {
    nonisolated(unsafe) let (loop, data) = unsafe (inRunLoop ?? RunLoop.main, inClientData)
    let mode = inRunLoopMode.map { RunLoop.Mode($0 as String) } ?? .default
    SystemSounds.change(inSystemSoundID) { sound in
        sound.completion = {
            // A timer wakes the loop, on whichever thread that runs.
            let timer = Timer(timeInterval: 0, repeats: false) { _ in
                unsafe inCompletionRoutine(inSystemSoundID, data)
            }
            unsafe loop.add(timer, forMode: mode)
        }
    }
    return kAudioServicesNoError
}

/// Undoes ``AudioServicesAddSystemSoundCompletion(_:_:_:_:_:)``.
public func AudioServicesRemoveSystemSoundCompletion(_ inSystemSoundID: SystemSoundID) {
    SystemSounds.change(inSystemSoundID) { $0.completion = nil }
}

/// Writes how large a property is, and whether it may be set.
@discardableResult
public func AudioServicesGetPropertyInfo(
    _ inPropertyID: AudioServicesPropertyID, _ inSpecifierSize: UInt32, _ inSpecifier: UnsafeRawPointer?,
    _ outPropertyDataSize: UnsafeMutablePointer<UInt32>?, _ outWritable: UnsafeMutablePointer<DarwinBoolean>?
) -> OSStatus {
    guard Property.all.contains(inPropertyID) else { return kAudioServicesUnsupportedPropertyError }
    unsafe outPropertyDataSize?.pointee = Property.size
    unsafe outWritable?.pointee = true
    return kAudioServicesNoError
}

/// Reads a property of a sound: a 32-bit number, 1 unless it was set.
@discardableResult
public func AudioServicesGetProperty(
    _ inPropertyID: AudioServicesPropertyID, _ inSpecifierSize: UInt32, _ inSpecifier: UnsafeRawPointer?,
    _ ioPropertyDataSize: UnsafeMutablePointer<UInt32>, _ outPropertyData: UnsafeMutableRawPointer?
) -> OSStatus {
    let (error, id) = unsafe Property.sound(inPropertyID, inSpecifierSize, inSpecifier)
    guard error == kAudioServicesNoError else { return error }
    guard unsafe ioPropertyDataSize.pointee >= Property.size else { return kAudioServicesBadPropertySizeError }
    let value = SystemSounds.change(id) { $0.properties[inPropertyID] ?? 1 }
    unsafe outPropertyData?.storeBytes(of: value, as: UInt32.self)
    unsafe ioPropertyDataSize.pointee = Property.size
    return kAudioServicesNoError
}

/// Sets a property of a sound: a 32-bit number.
@discardableResult
public func AudioServicesSetProperty(
    _ inPropertyID: AudioServicesPropertyID, _ inSpecifierSize: UInt32, _ inSpecifier: UnsafeRawPointer?,
    _ inPropertyDataSize: UInt32, _ inPropertyData: UnsafeRawPointer
) -> OSStatus {
    let (error, id) = unsafe Property.sound(inPropertyID, inSpecifierSize, inSpecifier)
    guard error == kAudioServicesNoError else { return error }
    guard inPropertyDataSize == Property.size else { return kAudioServicesBadPropertySizeError }
    let value = unsafe inPropertyData.loadUnaligned(as: UInt32.self)
    SystemSounds.change(id) { $0.properties[inPropertyID] = value }
    return kAudioServicesNoError
}

private enum Property {
    static let all = [kAudioServicesPropertyIsUISound, kAudioServicesPropertyCompletePlaybackIfAppDies]
    static let size: UInt32 = 4

    /// The sound that a specifier names, or the error.
    static func sound(
        _ property: AudioServicesPropertyID, _ size: UInt32, _ specifier: UnsafeRawPointer?
    ) -> (OSStatus, SystemSoundID) {
        guard all.contains(property) else { return (kAudioServicesUnsupportedPropertyError, 0) }
        guard size == Self.size, let specifier = unsafe specifier else {
            return (kAudioServicesBadSpecifierSizeError, 0)
        }
        return (kAudioServicesNoError, unsafe specifier.loadUnaligned(as: SystemSoundID.self))
    }
}
