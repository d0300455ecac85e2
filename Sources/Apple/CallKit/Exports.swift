// Calling code often imports nothing else, and still uses Foundation, Dispatch and the audio session, which Apple's
// module brings along.
@_exported public import AVFAudio
@_exported public import BelfryAppleGround
@_exported public import Dispatch
@_exported public import Foundation
