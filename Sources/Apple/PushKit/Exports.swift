// Apple's module brings Foundation and Dispatch along, and where CallKit is linked the audio session.
@_exported public import AVFAudio
@_exported public import BelfryAppleGround
@_exported public import Dispatch
@_exported public import Foundation
