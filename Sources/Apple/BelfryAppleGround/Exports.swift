// Many extensions import nothing else and still use Foundation and Dispatch, which Apple's module exports too.
@_exported public import Dispatch
@_exported public import Foundation
