// What names a place where a notification is to appear; UserNotifications has it, since a trigger is made of it.
@_exported public import Foundation
@_exported public import class UserNotifications.CLCircularRegion
@_exported public import class UserNotifications.CLRegion
@_exported public import struct UserNotifications.CLLocationCoordinate2D
@_exported public import typealias UserNotifications.CLLocationDegrees
@_exported public import typealias UserNotifications.CLLocationDistance
