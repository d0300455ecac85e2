import CBelfryPixbuf
import Testing

/// What a fetcher wrote, decoded again.
@safe
struct WrittenPicture {
    /// Its width in pixels.
    let width: Int
    /// Its height in pixels.
    let height: Int
    /// The types of its chunks, in order.
    let chunkTypes: [String]
    private let pixels: [UInt8]
    private let rowBytes: Int
    private let channels: Int

    /// Decodes `png`.
    init(_ png: [UInt8]) throws {
        let loader = try unsafe #require(gdk_pixbuf_loader_new_with_type("png", nil))
        defer { unsafe g_object_unref(UnsafeMutableRawPointer(loader)) }
        try unsafe #require(gdk_pixbuf_loader_write(loader, png, png.count, nil) != 0)
        try unsafe #require(gdk_pixbuf_loader_close(loader, nil) != 0)
        let decoded = try unsafe #require(gdk_pixbuf_loader_get_pixbuf(loader))
        unsafe width = Int(gdk_pixbuf_get_width(decoded))
        unsafe height = Int(gdk_pixbuf_get_height(decoded))
        unsafe rowBytes = Int(gdk_pixbuf_get_rowstride(decoded))
        unsafe channels = Int(gdk_pixbuf_get_n_channels(decoded))
        let count = unsafe gdk_pixbuf_get_byte_length(decoded)
        unsafe pixels = [UInt8](UnsafeBufferPointer(start: gdk_pixbuf_read_pixels(decoded), count: count))
        var types: [String] = []
        var rest = png.dropFirst(8)
        while rest.count >= 12 {
            types.append(String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self))
            rest = rest.dropFirst(12 + rest.prefix(4).reduce(0) { $0 << 8 | Int($1) })
        }
        chunkTypes = types
    }

    /// Whether the pixel is red rather than white, with what a lossy format does to it.
    func isRed(_ x: Int, _ y: Int) -> Bool {
        let start = y * rowBytes + x * channels
        return pixels[start] > 200 && pixels[start + 1] < 100 && pixels[start + 2] < 100
    }
}
