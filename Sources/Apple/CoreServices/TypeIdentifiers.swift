@_exported public import typealias BelfryAppleGround.CFString
@_exported public import Foundation
import UniformTypeIdentifiers

// Types of data by their identifiers, the way they were named before UniformTypeIdentifiers.

/// The tag by which a file's name ends.
public var kUTTagClassFilenameExtension: CFString { "public.filename-extension" }
/// The tag by which the web names a type.
public var kUTTagClassMIMEType: CFString { "public.mime-type" }

/// Whatever there is.
public var kUTTypeItem: CFString { "public.item" }
/// What people see.
public var kUTTypeContent: CFString { "public.content" }
/// Bytes.
public var kUTTypeData: CFString { "public.data" }
/// A text.
public var kUTTypeText: CFString { "public.text" }
/// A text alone.
public var kUTTypePlainText: CFString { "public.plain-text" }
/// A text in UTF-8.
public var kUTTypeUTF8PlainText: CFString { "public.utf8-plain-text" }
/// A page of the web.
public var kUTTypeHTML: CFString { "public.html" }
/// XML.
public var kUTTypeXML: CFString { "public.xml" }
/// JSON.
public var kUTTypeJSON: CFString { "public.json" }
/// A PDF.
public var kUTTypePDF: CFString { "com.adobe.pdf" }
/// An address.
public var kUTTypeURL: CFString { "public.url" }
/// A file's address.
public var kUTTypeFileURL: CFString { "public.file-url" }
/// A picture.
public var kUTTypeImage: CFString { "public.image" }
/// A JPEG picture.
public var kUTTypeJPEG: CFString { "public.jpeg" }
/// A PNG picture.
public var kUTTypePNG: CFString { "public.png" }
/// A GIF picture.
public var kUTTypeGIF: CFString { "com.compuserve.gif" }
/// A TIFF picture.
public var kUTTypeTIFF: CFString { "public.tiff" }
/// A BMP picture.
public var kUTTypeBMP: CFString { "com.microsoft.bmp" }
/// What is seen or heard.
public var kUTTypeAudiovisualContent: CFString { "public.audiovisual-content" }
/// A sound.
public var kUTTypeAudio: CFString { "public.audio" }
/// A sound in MP3.
public var kUTTypeMP3: CFString { "public.mp3" }
/// A sound in MPEG-4.
public var kUTTypeMPEG4Audio: CFString { "public.mpeg-4-audio" }
/// A sound in WAVE.
public var kUTTypeWaveformAudio: CFString { "com.microsoft.waveform-audio" }
/// A sound in AIFF.
public var kUTTypeAudioInterchangeFileFormat: CFString { "public.aiff-audio" }
/// A film, with sound or without.
public var kUTTypeMovie: CFString { "public.movie" }
/// A film without sound.
public var kUTTypeVideo: CFString { "public.video" }
/// A film in MPEG.
public var kUTTypeMPEG: CFString { "public.mpeg" }
/// A film in MPEG-2.
public var kUTTypeMPEG2Video: CFString { "public.mpeg-2-video" }
/// A film in MPEG-4.
public var kUTTypeMPEG4: CFString { "public.mpeg-4" }
/// A film in AVI.
public var kUTTypeAVIMovie: CFString { "public.avi" }
/// A film in QuickTime.
public var kUTTypeQuickTimeMovie: CFString { "com.apple.quicktime-movie" }

/// The type with the tag `inTag`, if it conforms to `inConformingToUTI`; a made-up one if it is not known. Nil for an
/// unknown class of tags.
public func UTTypeCreatePreferredIdentifierForTag(
    _ inTagClass: CFString, _ inTag: CFString, _ inConformingToUTI: CFString?
) -> Unmanaged<CFString>? {
    let parent = inConformingToUTI.flatMap { UTType($0 as String) } ?? .data
    let type: UTType? =
        switch TagClass(inTagClass) {
        case .filenameExtension: UTType(filenameExtension: inTag as String, conformingTo: parent)
        case .mimeType: UTType(mimeType: inTag as String, conformingTo: parent)
        case nil: nil
        }
    return unsafe type.map { unsafe Unmanaged.passRetained($0.identifier as CFString) }
}

/// The first tag of the type `inUTI`; nil if it has none.
public func UTTypeCopyPreferredTagWithClass(_ inUTI: CFString, _ inTagClass: CFString) -> Unmanaged<CFString>? {
    let type = UTType(importedAs: inUTI as String)
    let tag: String? =
        switch TagClass(inTagClass) {
        case .filenameExtension: type.preferredFilenameExtension
        case .mimeType: type.preferredMIMEType
        case nil: nil
        }
    return unsafe tag.map { unsafe Unmanaged.passRetained($0 as CFString) }
}

/// Whether `inUTI` is `inConformsToUTI` or one of its kinds.
public func UTTypeConformsTo(_ inUTI: CFString, _ inConformsToUTI: CFString) -> Bool {
    UTType(importedAs: inUTI as String).conforms(to: UTType(importedAs: inConformsToUTI as String))
}

/// Whether both are one type.
public func UTTypeEqual(_ inUTI1: CFString, _ inUTI2: CFString) -> Bool {
    (inUTI1 as String).lowercased() == (inUTI2 as String).lowercased()
}

private enum TagClass {
    case filenameExtension
    case mimeType

    init?(_ name: CFString) {
        if name == kUTTagClassFilenameExtension {
            self = .filenameExtension
        } else if name == kUTTagClassMIMEType {
            self = .mimeType
        } else {
            return nil
        }
    }
}
