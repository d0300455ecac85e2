/// Leaves of a moving picture what the decoder needs for its first frame, so that it never sees another.
public enum FirstFrame {
    /// `picture` up to its first frame; the same bytes where there is one frame only, or none that is whole.
    public static func only(of picture: [UInt8], as format: PictureFormat) -> [UInt8] {
        switch format {
        case .png, .jpeg: return picture
        case .gif:
            guard let end = GIFLayout(picture)?.firstFrameEnd else { return picture }
            return picture[..<end] + [0x3B]
        case .webp:
            guard let frame = WebPLayout(picture)?.firstFrame else { return picture }
            return still(frame.chunks, width: frame.width, height: frame.height)
        }
    }

    /// A still WebP of the chunks of an animation's frame, which may hold an alpha channel.
    private static func still(_ chunks: ArraySlice<UInt8>, width: Int, height: Int) -> [UInt8] {
        let hasAlpha: UInt8 = 0x10
        var body = Array("WEBPVP8X".utf8) + littleEndian(10, count: 4) + [hasAlpha, 0, 0, 0]
        body += littleEndian(width - 1, count: 3) + littleEndian(height - 1, count: 3) + chunks
        return Array("RIFF".utf8) + littleEndian(body.count, count: 4) + body
    }

    private static func littleEndian(_ number: Int, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
