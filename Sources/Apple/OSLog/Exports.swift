// What writes to the log is os's; what reads it again is not here.
@_exported public import Foundation
@_exported public import os
