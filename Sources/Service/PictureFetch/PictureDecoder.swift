import BelfryPictures
import BelfryTerms
import CBelfryPixbuf

/// Decodes one picture by gdk-pixbuf and encodes it again as PNG.
///
/// It is made before the process gives up opening files, since gdk-pixbuf loads its decoders when they are asked for;
/// nothing foreign is parsed until ``decode(_:deadline:)``. Owns the loader; used by one thread.
@safe final class PictureDecoder {
    private let loader: OpaquePointer
    private let format: PictureFormat
    /// Set by the decoder itself once it knows the size.
    fileprivate var sizeRefusal: Skip?

    /// Once for a process: GLib takes no second writer.
    private static let silencesLog: Void = cpixbuf_silence_log()

    /// A decoder of `format` and no other. Throws ``SkipReason/decodeFailed`` if this machine has none.
    init(_ format: PictureFormat) throws(Skip) {
        Self.silencesLog
        guard let loader = unsafe gdk_pixbuf_loader_new_with_type(format.rawValue, nil) else {
            let package = format == .webp ? "webp-pixbuf-loader" : "libgdk-pixbuf-2.0-0"
            throw Skip(.decodeFailed, "this machine cannot decode \(format.rawValue); install \(package)")
        }
        unsafe self.loader = unsafe loader
        self.format = format
        // The encoder, too, is loaded when it is first used: encode a sample.
        guard let sample = unsafe gdk_pixbuf_new(Int32(GDK_COLORSPACE_RGB), 1, 8, 1, 1) else {
            throw Skip(.decodeFailed, "there is no memory")
        }
        defer { unsafe g_object_unref(UnsafeMutableRawPointer(sample)) }
        unsafe gdk_pixbuf_fill(sample, 0)
        _ = try unsafe Self.encoded(sample)
    }

    deinit { unsafe g_object_unref(UnsafeMutableRawPointer(loader)) }

    /// The picture as PNG, scaled, turned upright and without metadata.
    ///
    /// Throws ``SkipReason/decodeFailed``, ``SkipReason/tooManyPixels`` or ``SkipReason/timeout``.
    func decode(_ picture: [UInt8], deadline: FetchDeadline) throws(Skip) -> (png: [UInt8], width: Int, height: Int) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe cpixbuf_on_size(loader, onSize, context)
        var failed = false
        var rest = picture[...]
        while !failed, !rest.isEmpty {
            guard !deadline.hasPassed else {
                throw Skip(.timeout, "the picture came, but could not be decoded \(deadline.description)")
            }
            let piece = Array(rest.prefix(Self.pieceBytes))
            rest = rest.dropFirst(piece.count)
            failed = unsafe gdk_pixbuf_loader_write(loader, piece, piece.count, nil) == 0
        }
        // Closed in any case, or gdk-pixbuf complains when the loader goes.
        failed = unsafe gdk_pixbuf_loader_close(loader, nil) == 0 || failed
        if let sizeRefusal { throw sizeRefusal }
        guard !failed, let decoded = unsafe gdk_pixbuf_loader_get_pixbuf(loader) else {
            throw Skip(.decodeFailed, "the \(format.rawValue) is damaged or cut short")
        }
        guard let upright = unsafe gdk_pixbuf_apply_embedded_orientation(decoded) else {
            throw Skip(.decodeFailed, "there is no memory to turn the picture upright")
        }
        defer { unsafe g_object_unref(UnsafeMutableRawPointer(upright)) }
        let width = Int(unsafe gdk_pixbuf_get_width(upright))
        let height = Int(unsafe gdk_pixbuf_get_height(upright))
        guard max(width, height) <= FetchLimits.writtenSideMax else {
            throw Skip(.decodeFailed, "the \(format.rawValue) decoder did not scale the picture")
        }
        return (try unsafe Self.encoded(upright), width, height)
    }

    /// The deadline is checked between pieces.
    private static let pieceBytes = 64 << 10

    /// PNG of the pixels and nothing else (``KeptPicture``): gdk-pixbuf writes no metadata that it is not given, but
    /// adds by itself how many bits of a pixel are significant.
    private static func encoded(_ pixels: OpaquePointer) throws(Skip) -> [UInt8] {
        var buffer: UnsafeMutablePointer<CChar>?
        var count = 0
        // zlib's fastest level: a photograph took 15 ms instead of 90, for a sixth more bytes.
        guard unsafe cpixbuf_save_as_png(pixels, "1", &buffer, &count) != 0, let buffer = unsafe buffer else {
            throw Skip(.decodeFailed, "the picture cannot be written as PNG")
        }
        defer { unsafe g_free(buffer) }
        return KeptPicture.plain(unsafe [UInt8](UnsafeRawBufferPointer(start: buffer, count: count)))
    }
}

/// `size-prepared`: the decoder has read the size. Whatever our own reading of the header said, this is what it will
/// do.
private func onSize(
    _ loader: OpaquePointer?, _ width: Int32, _ height: Int32,
    _ context: UnsafeMutableRawPointer?
) {
    guard let context = unsafe context else { return }
    let decoder = unsafe Unmanaged<PictureDecoder>.fromOpaque(context).takeUnretainedValue()
    do throws(Skip) {
        let size = try PictureHeader.writtenSize(width: Int(width), height: Int(height))
        unsafe gdk_pixbuf_loader_set_size(loader, Int32(size.width), Int32(size.height))
    } catch {
        decoder.sizeRefusal = error
        // A size of zero ends the decoding.
        unsafe gdk_pixbuf_loader_set_size(loader, 0, 0)
    }
}
