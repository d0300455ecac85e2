// Many extensions import nothing else and use Foundation and Dispatch all the same, as Apple's module lets them.
@_exported public import Dispatch
@_exported public import Foundation
