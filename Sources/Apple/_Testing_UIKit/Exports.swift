// For a file that imports both Testing and UIKit the compiler needs this module, which Apple's systems have: without
// it such a file does not compile.
@_exported public import UIKit
