// Apart from Testing: of a file that imports both, the compiler wants a module that only Apple's systems have.
@_exported import UIKit
