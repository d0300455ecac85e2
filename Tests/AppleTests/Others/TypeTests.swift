import CoreServices
import SQLite3
import Testing
import UIKit
import UniformTypeIdentifiers

/// Kinds of data, and the database as it is.
@Suite struct TypeTests {
    @Test("a type is found by identifier, extension and MIME type, and knows what it is one of") func types() {
        #expect(UTType("public.png") == .png && UTType("com.example.none") == nil)
        #expect(UTType(filenameExtension: "JPG") == .jpeg && UTType(mimeType: "image/gif") == .gif)
        #expect(UTType(mimeType: "audio/mpeg; x=1") == .mp3)
        #expect(UTType.png.preferredFilenameExtension == "png" && UTType.mp3.preferredMIMEType == "audio/mpeg")
        #expect(UTType.jpeg.conforms(to: .image) && UTType.jpeg.conforms(to: .data) && UTType.png.conforms(to: .png))
        #expect(!UTType.jpeg.conforms(to: .movie) && UTType.mpeg4Movie.isSubtype(of: .movie))
        #expect(UTType(filenameExtension: "png", conformingTo: .audio) == nil)
        #expect(UTType.image.isSupertype(of: .gif) && UTType.image.preferredFilenameExtension == nil)
        #expect(UTType.png.isPublic && !UTType.gif.isPublic && !UTType.png.isDynamic)
    }

    @Test("what is not known is made up, and knows its extension") func madeUp() {
        let type = UTType(filenameExtension: "xyz")
        #expect(type?.isDynamic == true && type?.preferredFilenameExtension == "xyz")
        #expect(type?.conforms(to: .data) == true && type != .data)
        let dotted = "application/vnd.example.call"
        #expect(UTType(mimeType: dotted)?.tags == [.mimeType: [dotted]])
        #expect(UTType(exportedAs: "com.example.kind").identifier == "com.example.kind")
        let url = URL(fileURLWithPath: "/tmp/a").appendingPathExtension(for: .mpeg4Movie)
        #expect(url.lastPathComponent == "a.mp4")
    }

    @Test("the older names are of the same types") func olderNames() throws {
        let names = [kUTTypePNG, kUTTypeJPEG, kUTTypeGIF, kUTTypeMP3, kUTTypeMPEG4, kUTTypePDF, kUTTypeWaveformAudio]
        let known = [UTType.png, .jpeg, .gif, .mp3, .mpeg4Movie, .pdf, .wav]
        #expect(names.map { $0 as String } == known.map(\.identifier))
        let made = unsafe UTTypeCreatePreferredIdentifierForTag(kUTTagClassMIMEType, "image/png", nil)
        #expect(unsafe made?.takeRetainedValue() == kUTTypePNG)
        let sound = unsafe UTTypeCreatePreferredIdentifierForTag(
            kUTTagClassFilenameExtension, "png", kUTTypeAudio)
        #expect(unsafe sound == nil)
        #expect(unsafe UTTypeCreatePreferredIdentifierForTag("com.example.tag", "png", nil) == nil)
        let suffix = unsafe UTTypeCopyPreferredTagWithClass(kUTTypeJPEG, kUTTagClassFilenameExtension)
        #expect(unsafe suffix?.takeRetainedValue() == "jpeg")
        #expect(unsafe UTTypeCopyPreferredTagWithClass(kUTTypeImage, kUTTagClassMIMEType) == nil)
        #expect(UTTypeConformsTo(kUTTypePNG, kUTTypeImage) && !UTTypeConformsTo(kUTTypePNG, kUTTypeMovie))
        #expect(UTTypeEqual("PUBLIC.PNG", kUTTypePNG) && !UTTypeEqual(kUTTypeGIF, kUTTypePNG))
    }

    @Test("the time since the system was started goes on") func mediaTime() {
        let before = CACurrentMediaTime()
        #expect(before > 0 && CACurrentMediaTime() >= before && CACurrentMediaTime() - before < 600)
    }

    @Test("SQLite is the system's") func database() {
        var database: OpaquePointer?
        var statement: OpaquePointer?
        #expect(unsafe sqlite3_open(":memory:", &database) == SQLITE_OK)
        defer { unsafe sqlite3_close(database) }
        #expect(unsafe sqlite3_prepare_v2(database, "SELECT 'x'", -1, &statement, nil) == SQLITE_OK)
        defer { unsafe sqlite3_finalize(statement) }
        #expect(unsafe sqlite3_step(statement) == SQLITE_ROW)
        #expect(unsafe String(cString: sqlite3_column_text(statement, 0)) == "x")
    }
}
