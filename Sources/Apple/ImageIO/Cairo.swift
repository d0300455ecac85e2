import BelfryAppleGround
import BelfrySyscalls
import BelfryTerms

/// A surface of cairo's. The library is opened when something is first drawn, since most code only passes files on.
@safe
final class Cairo {
    /// The most pixels along a side.
    static let sideMax = 4_096
    /// cairo's number of the operator that draws over the pixels below.
    static let over: Int32 = 2
    /// cairo's number of the mode that continues the pixels of an edge beyond it.
    static let goesOn: Int32 = 3

    let width: Int
    let height: Int
    let calls: CairoCalls
    private let surface: OpaquePointer
    /// The context that calls draw in.
    let target: OpaquePointer

    /// Transparent pixels; nil if that size is not possible, and, with a warning, without cairo.
    init?(width: Int, height: Int) {
        guard (1...Self.sideMax).contains(width), (1...Self.sideMax).contains(height) else { return nil }
        do {
            let calls = try CairoCalls.opened.get()
            let withAlpha: Int32 = 0
            guard let surface = unsafe calls.makeSurface(withAlpha, Int32(width), Int32(height)),
                let target = unsafe calls.make(surface)
            else { return nil }
            (self.width, self.height, self.calls) = (width, height, calls)
            unsafe self.surface = surface
            unsafe self.target = target
        } catch {
            KeeperDoor.warn(.unsupported, "nothing can be drawn: \(error); install libcairo2")
            return nil
        }
    }

    deinit {
        unsafe calls.destroy(target)
        unsafe calls.destroySurface(surface)
    }

    /// The pixels of `image`; nil with a warning if they cannot be decoded.
    convenience init?(_ image: CGImage) {
        guard let bitmap = image.bitmap else { return nil }
        let rgba = bitmap.rgba
        self.init(width: bitmap.width, height: bitmap.height)
        unsafe withPixels { pixels, stride in
            for y in 0..<height {
                for x in 0..<width {
                    let (from, to) = (4 * (y * width + x), y * stride + 4 * x)
                    let alpha = Int(rgba[from + 3])
                    // cairo multiplies colours by their alpha, and keeps a pixel as a machine word: blue is first.
                    for (channel, place) in [2, 1, 0].enumerated() {
                        unsafe pixels[to + channel] = UInt8((Int(rgba[from + place]) * alpha + 127) / 255)
                    }
                    unsafe pixels[to + 3] = rgba[from + 3]
                }
            }
        }
    }

    /// The drawing; nil with a warning if no picture can be made.
    var image: CGImage? {
        var rgba = [UInt8](repeating: 0, count: 4 * width * height)
        unsafe withPixels { pixels, stride in
            for y in 0..<height {
                for x in 0..<width {
                    let (to, from) = (4 * (y * width + x), y * stride + 4 * x)
                    let alpha = unsafe Int(pixels[from + 3])
                    guard alpha > 0 else { continue }
                    for (channel, place) in [2, 1, 0].enumerated() {
                        // The colour before cairo multiplied it by its alpha, rounded.
                        rgba[to + place] = unsafe UInt8(
                            min((Int(pixels[from + channel]) * 255 + alpha / 2) / alpha, 255))
                    }
                    rgba[to + 3] = UInt8(alpha)
                }
            }
        }
        return Bitmap(rgba: rgba, width: width, height: height).map { CGImage($0) }
    }

    private func withPixels(_ body: (_ pixels: UnsafeMutablePointer<UInt8>, _ stride: Int) -> Void) {
        // cairo asks for a flush before, and a mark after, direct access to pixels.
        unsafe calls.flush(surface)
        guard let pixels = unsafe calls.pixels(surface) else { return }
        unsafe body(pixels, Int(calls.stride(surface)))
        unsafe calls.markDirty(surface)
    }

    /// Draws `source` at the origin, and continues the pixels of its edges.
    func paint(_ source: Cairo, alpha: Double) {
        unsafe calls.setSourceSurface(target, source.surface, 0, 0)
        // Otherwise an enlarged picture would fade out along its edges.
        if let pattern = unsafe calls.source(target) { unsafe calls.setExtend(pattern, Self.goesOn) }
        unsafe calls.paintWithAlpha(target, alpha)
    }
}

/// The calls of cairo, from cairo.h.
@safe
struct CairoCalls: Sendable {
    typealias Target = OpaquePointer
    let makeSurface: @convention(c) (Int32, Int32, Int32) -> OpaquePointer?
    let destroySurface: @convention(c) (OpaquePointer) -> Void
    let flush: @convention(c) (OpaquePointer) -> Void
    let markDirty: @convention(c) (OpaquePointer) -> Void
    let pixels: @convention(c) (OpaquePointer) -> UnsafeMutablePointer<UInt8>?
    let stride: @convention(c) (OpaquePointer) -> Int32
    let make: @convention(c) (OpaquePointer) -> Target?
    let destroy: @convention(c) (Target) -> Void
    let save: @convention(c) (Target) -> Void
    let restore: @convention(c) (Target) -> Void
    /// Takes six numbers: `a`, `b`, `c`, `d`, `tx`, `ty`.
    let transform: @convention(c) (Target, UnsafePointer<Double>) -> Void
    let setOperator: @convention(c) (Target, Int32) -> Void
    let setSourceColour: @convention(c) (Target, Double, Double, Double, Double) -> Void
    let setSource: @convention(c) (Target, OpaquePointer) -> Void
    let setSourceSurface: @convention(c) (Target, OpaquePointer, Double, Double) -> Void
    let source: @convention(c) (Target) -> OpaquePointer?
    let makeLinear: @convention(c) (Double, Double, Double, Double) -> OpaquePointer?
    let makeRadial: @convention(c) (Double, Double, Double, Double, Double, Double) -> OpaquePointer?
    let addStop: @convention(c) (OpaquePointer, Double, Double, Double, Double, Double) -> Void
    let setExtend: @convention(c) (OpaquePointer, Int32) -> Void
    let destroyPattern: @convention(c) (OpaquePointer) -> Void
    let paint: @convention(c) (Target) -> Void
    let paintWithAlpha: @convention(c) (Target, Double) -> Void
    let newPath: @convention(c) (Target) -> Void
    let move: @convention(c) (Target, Double, Double) -> Void
    let line: @convention(c) (Target, Double, Double) -> Void
    let curve: @convention(c) (Target, Double, Double, Double, Double, Double, Double) -> Void
    let closePath: @convention(c) (Target) -> Void
    let setFillRule: @convention(c) (Target, Int32) -> Void
    let setLineWidth: @convention(c) (Target, Double) -> Void
    let fill: @convention(c) (Target) -> Void
    let stroke: @convention(c) (Target) -> Void
    let clip: @convention(c) (Target) -> Void

    /// Opened when it is first asked for, once for a process.
    static let opened = Result { try CairoCalls() }

    private init() throws {
        let cairo = try DynamicLibrary("libcairo.so.2")
        unsafe makeSurface = try cairo.function("cairo_image_surface_create")
        unsafe destroySurface = try cairo.function("cairo_surface_destroy")
        unsafe flush = try cairo.function("cairo_surface_flush")
        unsafe markDirty = try cairo.function("cairo_surface_mark_dirty")
        unsafe pixels = try cairo.function("cairo_image_surface_get_data")
        unsafe stride = try cairo.function("cairo_image_surface_get_stride")
        unsafe make = try cairo.function("cairo_create")
        unsafe destroy = try cairo.function("cairo_destroy")
        unsafe save = try cairo.function("cairo_save")
        unsafe restore = try cairo.function("cairo_restore")
        unsafe transform = try cairo.function("cairo_transform")
        unsafe setOperator = try cairo.function("cairo_set_operator")
        unsafe setSourceColour = try cairo.function("cairo_set_source_rgba")
        unsafe setSource = try cairo.function("cairo_set_source")
        unsafe setSourceSurface = try cairo.function("cairo_set_source_surface")
        unsafe source = try cairo.function("cairo_get_source")
        unsafe makeLinear = try cairo.function("cairo_pattern_create_linear")
        unsafe makeRadial = try cairo.function("cairo_pattern_create_radial")
        unsafe addStop = try cairo.function("cairo_pattern_add_color_stop_rgba")
        unsafe setExtend = try cairo.function("cairo_pattern_set_extend")
        unsafe destroyPattern = try cairo.function("cairo_pattern_destroy")
        unsafe paint = try cairo.function("cairo_paint")
        unsafe paintWithAlpha = try cairo.function("cairo_paint_with_alpha")
        unsafe newPath = try cairo.function("cairo_new_path")
        unsafe move = try cairo.function("cairo_move_to")
        unsafe line = try cairo.function("cairo_line_to")
        unsafe curve = try cairo.function("cairo_curve_to")
        unsafe closePath = try cairo.function("cairo_close_path")
        unsafe setFillRule = try cairo.function("cairo_set_fill_rule")
        unsafe setLineWidth = try cairo.function("cairo_set_line_width")
        unsafe fill = try cairo.function("cairo_fill")
        unsafe stroke = try cairo.function("cairo_stroke")
        unsafe clip = try cairo.function("cairo_clip")
    }
}
