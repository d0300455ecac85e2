import BelfryAppleGround
import BelfryPictures
import BelfrySyscalls
import BelfryTerms

/// The decoded pixels of a picture, by gdk-pixbuf. The library is opened when the first pixel is needed, since it loads
/// GLib too, and most code only passes files on.
@safe
final class Bitmap: @unchecked Sendable {
    private let pixels: OpaquePointer
    private let calls: PixbufCalls

    /// Decodes `picture`, upright; nil with a warning if it is damaged, too large, or cannot be decoded here.
    convenience init?(_ picture: [UInt8]) {
        do {
            let header = try PictureHeader(of: picture)
            let calls = try PixbufCalls.opened.get()
            guard let pixels = unsafe calls.decode(picture, header.format.rawValue) else {
                KeeperDoor.warn(.unsupported, "a \(header.format.rawValue) that is damaged or cannot be decoded here")
                return nil
            }
            unsafe self.init(pixels: pixels, calls: calls)
        } catch let skip as Skip {
            KeeperDoor.warn(.unsupported, "a picture: \(skip.detail)")
            return nil
        } catch {
            KeeperDoor.warn(.unsupported, "pictures cannot be decoded: \(error); install libgdk-pixbuf-2.0-0")
            return nil
        }
    }

    private init(pixels: OpaquePointer, calls: PixbufCalls) {
        unsafe self.pixels = pixels
        self.calls = calls
    }

    deinit { unsafe calls.unref(UnsafeMutableRawPointer(pixels)) }

    /// Its width in pixels.
    var width: Int { Int(unsafe calls.width(pixels)) }

    /// Its height in pixels.
    var height: Int { Int(unsafe calls.height(pixels)) }

    /// The bitmap made smaller, to `side` pixels on its long side; itself if it is no larger.
    func scaled(toSide side: Int) -> Bitmap? {
        let long = max(width, height)
        guard side > 0, long > side else { return self }
        func shorter(_ length: Int) -> Int32 { Int32(max(1, length * side / long)) }
        let bilinear: Int32 = 2
        guard let smaller = unsafe calls.scale(pixels, shorter(width), shorter(height), bilinear) else { return nil }
        return unsafe Bitmap(pixels: smaller, calls: calls)
    }

    /// The bitmap stretched to a size; nil without memory, or if the size is not possible.
    func stretched(width: Int, height: Int) -> Bitmap? {
        guard let width = Int32(exactly: width), let height = Int32(exactly: height), min(width, height) > 0 else {
            return nil
        }
        let bilinear: Int32 = 2
        guard let other = unsafe calls.scale(pixels, width, height, bilinear) else { return nil }
        return unsafe Bitmap(pixels: other, calls: calls)
    }

    /// The bitmap of red, green, blue and alpha, four bytes a pixel, row by row; nil with a warning if that is
    /// impossible.
    convenience init?(rgba: [UInt8], width: Int, height: Int) {
        precondition(width > 0 && height > 0 && rgba.count == 4 * width * height)
        guard let calls = try? PixbufCalls.opened.get(),
            let pixels = unsafe calls.make(0, 1, 8, Int32(width), Int32(height)),
            let bytes = unsafe calls.bytes(pixels)
        else {
            KeeperDoor.warn(.unsupported, "nothing can be drawn; install libgdk-pixbuf-2.0-0")
            return nil
        }
        let stride = Int(unsafe calls.stride(pixels))
        for row in 0..<height {
            for column in 0..<4 * width { unsafe bytes[row * stride + column] = rgba[row * 4 * width + column] }
        }
        unsafe self.init(pixels: pixels, calls: calls)
    }

    /// Red, green, blue and alpha of each pixel, row by row.
    var rgba: [UInt8] {
        let (width, height, channels) = (width, height, Int(unsafe calls.channels(pixels)))
        let stride = Int(unsafe calls.stride(pixels))
        guard let bytes = unsafe calls.bytes(pixels) else { return [UInt8](repeating: 0, count: 4 * width * height) }
        var rgba: [UInt8] = []
        rgba.reserveCapacity(4 * width * height)
        for row in 0..<height {
            for column in 0..<width {
                let first = row * stride + column * channels
                for channel in 0..<3 { unsafe rgba.append(bytes[first + channel]) }
                unsafe rgba.append(channels == 4 ? bytes[first + 3] : 255)
            }
        }
        return rgba
    }

    /// The pixels as PNG; nil without memory.
    func png() -> [UInt8]? { unsafe calls.encode(pixels, as: "png", option: "compression", "6") }

    /// The pixels as JPEG, of a quality from 0 to 100; nil without memory.
    func jpeg(quality: Int) -> [UInt8]? { unsafe calls.encode(pixels, as: "jpeg", option: "quality", "\(quality)") }
}

/// The calls of gdk-pixbuf and GLib, from gdk-pixbuf/gdk-pixbuf.h, gdk-pixbuf/gdk-pixbuf-loader.h and glib.h.
@safe
private struct PixbufCalls: Sendable {
    typealias Pointer = OpaquePointer
    let makeLoader: @convention(c) (UnsafePointer<CChar>, UnsafeMutableRawPointer?) -> Pointer?
    let write: @convention(c) (Pointer, UnsafePointer<UInt8>, Int, UnsafeMutableRawPointer?) -> Int32
    let close: @convention(c) (Pointer, UnsafeMutableRawPointer?) -> Int32
    let pixels: @convention(c) (Pointer) -> Pointer?
    let turnUpright: @convention(c) (Pointer) -> Pointer?
    let scale: @convention(c) (Pointer, Int32, Int32, Int32) -> Pointer?
    let make: @convention(c) (Int32, Int32, Int32, Int32, Int32) -> Pointer?
    let bytes: @convention(c) (Pointer) -> UnsafeMutablePointer<UInt8>?
    let stride: @convention(c) (Pointer) -> Int32
    let channels: @convention(c) (Pointer) -> Int32
    let width: @convention(c) (Pointer) -> Int32
    let height: @convention(c) (Pointer) -> Int32
    let save:
        @convention(c) (
            Pointer, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>,
            UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, UnsafeMutableRawPointer?
        ) -> Int32
    let unref: @convention(c) (UnsafeMutableRawPointer) -> Void
    let free: @convention(c) (UnsafeMutableRawPointer) -> Void

    /// Opened when it is first asked for, once for a process.
    static let opened = Result { try PixbufCalls() }

    private init() throws {
        let pixbuf = try DynamicLibrary("libgdk_pixbuf-2.0.so.0")
        // gdk-pixbuf has loaded both already.
        let objects = try DynamicLibrary("libgobject-2.0.so.0")
        let glib = try DynamicLibrary("libglib-2.0.so.0")
        unsafe makeLoader = try pixbuf.function("gdk_pixbuf_loader_new_with_type")
        unsafe write = try pixbuf.function("gdk_pixbuf_loader_write")
        unsafe close = try pixbuf.function("gdk_pixbuf_loader_close")
        unsafe pixels = try pixbuf.function("gdk_pixbuf_loader_get_pixbuf")
        unsafe turnUpright = try pixbuf.function("gdk_pixbuf_apply_embedded_orientation")
        unsafe scale = try pixbuf.function("gdk_pixbuf_scale_simple")
        unsafe make = try pixbuf.function("gdk_pixbuf_new")
        unsafe bytes = try pixbuf.function("gdk_pixbuf_get_pixels")
        unsafe stride = try pixbuf.function("gdk_pixbuf_get_rowstride")
        unsafe channels = try pixbuf.function("gdk_pixbuf_get_n_channels")
        unsafe width = try pixbuf.function("gdk_pixbuf_get_width")
        unsafe height = try pixbuf.function("gdk_pixbuf_get_height")
        unsafe save = try pixbuf.function("gdk_pixbuf_save_to_bufferv")
        unsafe unref = try objects.function("g_object_unref")
        unsafe free = try glib.function("g_free")
    }

    /// The pixels of `picture`, owned by the caller.
    func decode(_ picture: [UInt8], _ format: String) -> OpaquePointer? {
        guard let loader = unsafe makeLoader(format, nil) else { return nil }
        defer { unsafe unref(UnsafeMutableRawPointer(loader)) }
        let isWritten = unsafe write(loader, picture, picture.count, nil) != 0
        // Closed in any case: gdk-pixbuf complains about a loader that is released open.
        guard unsafe close(loader, nil) != 0, isWritten, let decoded = unsafe pixels(loader) else { return nil }
        return unsafe turnUpright(decoded)
    }

    func encode(_ pixels: OpaquePointer, as format: String, option: String, _ value: String) -> [UInt8]? {
        var buffer: UnsafeMutablePointer<UInt8>?
        var count = 0
        let isSaved = unsafe option.withCString { option in
            unsafe value.withCString { value in
                var keys = unsafe [UnsafeMutablePointer(mutating: option), nil]
                var values = unsafe [UnsafeMutablePointer(mutating: value), nil]
                return unsafe save(pixels, &buffer, &count, format, &keys, &values, nil) != 0
            }
        }
        guard isSaved, let buffer = unsafe buffer else { return nil }
        defer { unsafe free(buffer) }
        return unsafe [UInt8](UnsafeBufferPointer(start: buffer, count: count))
    }
}
