// A package as it is in every build: it takes a module of Apple's that is there for an Apple system. Of those that the
// extension beside it does not import none may be.
import Foundation

#if canImport(AVFAudio)
    #error("AVFAudio is there, though no package of this build asks for it")
#endif
#if canImport(AudioToolbox)
    #error("AudioToolbox is there, though no package of this build asks for it")
#endif
#if canImport(Combine)
    #error("Combine is there, though no package of this build asks for it")
#endif
#if canImport(CommonCrypto)
    #error("CommonCrypto is there, though no package of this build asks for it")
#endif
#if canImport(CryptoKit)
    #error("CryptoKit is there, though no package of this build asks for it")
#endif
#if canImport(Darwin)
    #error("Darwin is there, though no package of this build asks for it")
#endif
#if canImport(ImageIO)
    #error("ImageIO is there, though no package of this build asks for it")
#endif
#if canImport(Intents)
    #error("Intents is there, though no package of this build asks for it")
#endif
#if canImport(SQLite3)
    #error("SQLite3 is there, though no package of this build asks for it")
#endif
#if canImport(Security)
    #error("Security is there, though no package of this build asks for it")
#endif
#if canImport(UIKit)
    #error("UIKit is there, though no package of this build asks for it")
#endif
#if canImport(UniformTypeIdentifiers)
    #error("UniformTypeIdentifiers is there, though no package of this build asks for it")
#endif
#if canImport(os)
    #error("os is there, though no package of this build asks for it")
#endif

/// The system that this package takes its build for.
public let system = "Linux"
