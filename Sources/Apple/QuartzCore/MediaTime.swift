@_exported public import Foundation
@_exported public import typealias UserNotifications.CFTimeInterval

/// Seconds since the system was started, without those in which it slept.
public func CACurrentMediaTime() -> CFTimeInterval { ProcessInfo.processInfo.systemUptime }
