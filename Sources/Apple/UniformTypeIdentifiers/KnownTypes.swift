/// A known type: its identifier, name, file extensions and MIME types, and the types that it conforms to, from Apple's
/// list of uniform type identifiers.
struct KnownType: Sendable {
    let identifier: String
    let name: String
    let extensions: [String]
    let mimeTypes: [String]
    let parents: [String]

    private init(
        _ identifier: String, _ name: String, _ extensions: [String], _ mimeTypes: [String], _ parents: [String]
    ) {
        self.identifier = identifier
        self.name = name
        self.extensions = extensions
        self.mimeTypes = mimeTypes
        self.parents = parents
    }

    static let byIdentifier = Dictionary(all.map { ($0.identifier, $0) }) { first, _ in first }
    static let byExtension = Dictionary(all.flatMap { type in type.extensions.map { ($0, type) } }) { first, _ in first
    }
    static let byMIMEType = Dictionary(all.flatMap { type in type.mimeTypes.map { ($0, type) } }) { first, _ in first }

    private static let all = [
        KnownType("public.item", "item", [], [], []),
        KnownType("public.content", "content", [], [], []),
        KnownType("public.data", "data", [], ["application/octet-stream"], ["public.item"]),
        KnownType("public.directory", "directory", [], [], ["public.item"]),
        KnownType("public.folder", "folder", [], [], ["public.directory"]),
        KnownType("public.file-url", "file URL", [], [], ["public.url"]),
        KnownType("public.url", "URL", [], ["text/uri-list"], ["public.data"]),
        KnownType("public.composite-content", "composite content", [], [], ["public.content"]),
        KnownType("public.text", "text", [], [], ["public.data", "public.content"]),
        KnownType("public.plain-text", "plain text", ["txt", "text"], ["text/plain"], ["public.text"]),
        KnownType("public.utf8-plain-text", "Unicode text", [], ["text/plain;charset=utf-8"], ["public.plain-text"]),
        KnownType("public.html", "HTML text", ["html", "htm"], ["text/html"], ["public.text"]),
        KnownType("public.xml", "XML text", ["xml"], ["application/xml", "text/xml"], ["public.text"]),
        KnownType("public.json", "JSON", ["json"], ["application/json"], ["public.text"]),
        KnownType("public.comma-separated-values-text", "comma-separated text", ["csv"], ["text/csv"], ["public.text"]),
        KnownType("public.rtf", "rich text", ["rtf"], ["text/rtf"], ["public.text"]),
        KnownType("public.vcard", "contact card", ["vcf", "vcard"], ["text/vcard", "text/x-vcard"], ["public.text"]),
        KnownType(
            "com.adobe.pdf", "PDF document", ["pdf"], ["application/pdf"],
            ["public.data", "public.composite-content"]),
        KnownType("public.archive", "archive", [], [], ["public.data"]),
        KnownType(
            "public.zip-archive", "ZIP archive", ["zip"], ["application/zip"], ["public.data", "public.archive"]),
        KnownType(
            "org.gnu.gnu-zip-archive", "gzip archive", ["gz"], ["application/gzip", "application/x-gzip"],
            ["public.data", "public.archive"]),
        KnownType("com.apple.property-list", "property list", ["plist"], ["application/x-plist"], ["public.data"]),
        KnownType("public.image", "image", [], [], ["public.data", "public.content"]),
        KnownType("public.png", "PNG image", ["png"], ["image/png"], ["public.image"]),
        KnownType("public.jpeg", "JPEG image", ["jpeg", "jpg", "jpe"], ["image/jpeg", "image/jpg"], ["public.image"]),
        KnownType("com.compuserve.gif", "GIF image", ["gif"], ["image/gif"], ["public.image"]),
        KnownType("org.webmproject.webp", "WebP image", ["webp"], ["image/webp"], ["public.image"]),
        KnownType("public.heic", "HEIC image", ["heic"], ["image/heic"], ["public.heif-standard"]),
        KnownType("public.heif-standard", "HEIF image", ["heif"], ["image/heif"], ["public.image"]),
        KnownType("public.tiff", "TIFF image", ["tiff", "tif"], ["image/tiff"], ["public.image"]),
        KnownType("com.microsoft.bmp", "BMP image", ["bmp"], ["image/bmp"], ["public.image"]),
        KnownType("public.svg-image", "SVG image", ["svg"], ["image/svg+xml"], ["public.image", "public.xml"]),
        KnownType(
            "com.microsoft.ico", "icon image", ["ico"], ["image/vnd.microsoft.icon", "image/x-icon"],
            ["public.image"]),
        KnownType("public.audiovisual-content", "audiovisual content", [], [], ["public.data", "public.content"]),
        KnownType("public.movie", "movie", [], [], ["public.audiovisual-content"]),
        KnownType("public.video", "video", [], [], ["public.movie"]),
        KnownType("public.mpeg", "MPEG movie", ["mpg", "mpeg"], ["video/mpeg"], ["public.movie"]),
        KnownType("public.mpeg-2-video", "MPEG-2 video", ["m2v"], ["video/mpeg2"], ["public.video"]),
        KnownType("public.mpeg-4", "MPEG-4 movie", ["mp4"], ["video/mp4"], ["public.movie"]),
        KnownType("com.apple.m4v-video", "M4V video", ["m4v"], ["video/x-m4v"], ["public.movie"]),
        KnownType(
            "com.apple.quicktime-movie", "QuickTime movie", ["mov", "qt"], ["video/quicktime"], ["public.movie"]),
        KnownType("public.avi", "AVI movie", ["avi"], ["video/avi", "video/x-msvideo"], ["public.movie"]),
        KnownType("public.audio", "audio", [], [], ["public.audiovisual-content"]),
        KnownType("public.mp3", "MP3 audio", ["mp3"], ["audio/mpeg", "audio/mp3"], ["public.audio"]),
        KnownType(
            "com.microsoft.waveform-audio", "Waveform audio", ["wav", "wave"],
            ["audio/wav", "audio/x-wav", "audio/vnd.wave"],
            ["public.audio"]),
        KnownType(
            "public.aiff-audio", "AIFF audio", ["aiff", "aif"], ["audio/aiff", "audio/x-aiff"], ["public.audio"]),
        KnownType("public.mpeg-4-audio", "MPEG-4 audio", ["mp4a"], ["audio/mp4"], ["public.mpeg-4", "public.audio"]),
        KnownType(
            "com.apple.m4a-audio", "Apple MPEG-4 audio", ["m4a"], ["audio/x-m4a", "audio/m4a"], ["public.audio"]),
        KnownType("com.apple.coreaudio-format", "CAF audio", ["caf"], ["audio/x-caf"], ["public.audio"]),
        KnownType("public.midi-audio", "MIDI audio", ["midi", "mid"], ["audio/midi"], ["public.audio"]),
    ]
}

/// The types that code names.
extension UTType {
    /// The type `public.item`.
    public static var item: UTType { UTType(known: "public.item") }
    /// The type `public.content`.
    public static var content: UTType { UTType(known: "public.content") }
    /// The type `public.data`.
    public static var data: UTType { UTType(known: "public.data") }
    /// The type `public.directory`.
    public static var directory: UTType { UTType(known: "public.directory") }
    /// The type `public.folder`.
    public static var folder: UTType { UTType(known: "public.folder") }
    /// The type `public.file-url`.
    public static var fileURL: UTType { UTType(known: "public.file-url") }
    /// The type `public.url`.
    public static var url: UTType { UTType(known: "public.url") }
    /// The type `public.composite-content`.
    public static var compositeContent: UTType { UTType(known: "public.composite-content") }
    /// The type `public.text`.
    public static var text: UTType { UTType(known: "public.text") }
    /// The type `public.plain-text`.
    public static var plainText: UTType { UTType(known: "public.plain-text") }
    /// The type `public.utf8-plain-text`.
    public static var utf8PlainText: UTType { UTType(known: "public.utf8-plain-text") }
    /// The type `public.html`.
    public static var html: UTType { UTType(known: "public.html") }
    /// The type `public.xml`.
    public static var xml: UTType { UTType(known: "public.xml") }
    /// The type `public.json`.
    public static var json: UTType { UTType(known: "public.json") }
    /// The type `public.comma-separated-values-text`.
    public static var commaSeparatedText: UTType { UTType(known: "public.comma-separated-values-text") }
    /// The type `public.rtf`.
    public static var rtf: UTType { UTType(known: "public.rtf") }
    /// The type `public.vcard`.
    public static var vCard: UTType { UTType(known: "public.vcard") }
    /// The type `com.adobe.pdf`.
    public static var pdf: UTType { UTType(known: "com.adobe.pdf") }
    /// The type `public.archive`.
    public static var archive: UTType { UTType(known: "public.archive") }
    /// The type `public.zip-archive`.
    public static var zip: UTType { UTType(known: "public.zip-archive") }
    /// The type `org.gnu.gnu-zip-archive`.
    public static var gzip: UTType { UTType(known: "org.gnu.gnu-zip-archive") }
    /// The type `com.apple.property-list`.
    public static var propertyList: UTType { UTType(known: "com.apple.property-list") }
    /// The type `public.image`.
    public static var image: UTType { UTType(known: "public.image") }
    /// The type `public.png`.
    public static var png: UTType { UTType(known: "public.png") }
    /// The type `public.jpeg`.
    public static var jpeg: UTType { UTType(known: "public.jpeg") }
    /// The type `com.compuserve.gif`.
    public static var gif: UTType { UTType(known: "com.compuserve.gif") }
    /// The type `org.webmproject.webp`.
    public static var webP: UTType { UTType(known: "org.webmproject.webp") }
    /// The type `public.heic`.
    public static var heic: UTType { UTType(known: "public.heic") }
    /// The type `public.heif-standard`.
    public static var heif: UTType { UTType(known: "public.heif-standard") }
    /// The type `public.tiff`.
    public static var tiff: UTType { UTType(known: "public.tiff") }
    /// The type `com.microsoft.bmp`.
    public static var bmp: UTType { UTType(known: "com.microsoft.bmp") }
    /// The type `public.svg-image`.
    public static var svg: UTType { UTType(known: "public.svg-image") }
    /// The type `com.microsoft.ico`.
    public static var ico: UTType { UTType(known: "com.microsoft.ico") }
    /// The type `public.audiovisual-content`.
    public static var audiovisualContent: UTType { UTType(known: "public.audiovisual-content") }
    /// The type `public.movie`.
    public static var movie: UTType { UTType(known: "public.movie") }
    /// The type `public.video`.
    public static var video: UTType { UTType(known: "public.video") }
    /// The type `public.mpeg`.
    public static var mpeg: UTType { UTType(known: "public.mpeg") }
    /// The type `public.mpeg-2-video`.
    public static var mpeg2Video: UTType { UTType(known: "public.mpeg-2-video") }
    /// The type `public.mpeg-4`.
    public static var mpeg4Movie: UTType { UTType(known: "public.mpeg-4") }
    /// The type `com.apple.m4v-video`.
    public static var appleProtectedMPEG4Video: UTType { UTType(known: "com.apple.m4v-video") }
    /// The type `com.apple.quicktime-movie`.
    public static var quickTimeMovie: UTType { UTType(known: "com.apple.quicktime-movie") }
    /// The type `public.avi`.
    public static var avi: UTType { UTType(known: "public.avi") }
    /// The type `public.audio`.
    public static var audio: UTType { UTType(known: "public.audio") }
    /// The type `public.mp3`.
    public static var mp3: UTType { UTType(known: "public.mp3") }
    /// The type `com.microsoft.waveform-audio`.
    public static var wav: UTType { UTType(known: "com.microsoft.waveform-audio") }
    /// The type `public.aiff-audio`.
    public static var aiff: UTType { UTType(known: "public.aiff-audio") }
    /// The type `public.mpeg-4-audio`.
    public static var mpeg4Audio: UTType { UTType(known: "public.mpeg-4-audio") }
    /// The type `public.midi-audio`.
    public static var midi: UTType { UTType(known: "public.midi-audio") }
}
