// Of a file that imports both Testing and UIKit the compiler wants this module, which Apple's systems bring: without it
// such a file does not compile.
@_exported public import UIKit
