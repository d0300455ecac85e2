import BelfryAppleGround
import BelfrySyscalls
import BelfryTerms

/// The style of letters.
package struct TextStyle: Hashable, Sendable {
    /// The font's family; the system's font is used if there is none of that name.
    package var family = "sans"
    /// The height of a line, in points.
    package var size: CGFloat = 12
    /// How bold, from 100 to 1000; 400 is regular.
    package var weight = 400
    /// Whether it is italic.
    package var isItalic = false
    /// The alignment of lines: 0 left, 1 centred, 2 right.
    package var alignment = 0

    /// Regular, 12 points, aligned to the left.
    package init() {}
}

/// A text in lines, by Pango. The library is opened when a text is first drawn.
@safe
package final class TextLayout {
    /// How many of Pango's units a point or pixel has.
    private static let units = 1_024.0
    /// The most bytes of a text that are drawn.
    private static let bytesMax = 16 << 10

    private let calls: PangoCalls
    private let layout: OpaquePointer
    private let cairo: Cairo

    /// `text` in lines of at most `width` points, or of any length if that is nil. Nil if it cannot be laid out, with a
    /// warning if Pango is missing.
    package convenience init?(_ text: String, style: TextStyle, width: CGFloat? = nil) {
        guard let cairo = Cairo(width: 1, height: 1) else { return nil }
        self.init(text, style: style, width: width, on: cairo)
    }

    init?(_ text: String, style: TextStyle, width: CGFloat?, on cairo: Cairo) {
        do {
            let calls = try PangoCalls.opened.get()
            guard let layout = unsafe calls.makeLayout(cairo.target) else { return nil }
            self.calls = calls
            self.cairo = cairo
            unsafe self.layout = layout
            let bytes = Array(String(decoding: text.utf8.prefix(Self.bytesMax), as: UTF8.self).utf8)
            unsafe bytes.withUnsafeBufferPointer { unsafe calls.setText(layout, $0.baseAddress, Int32($0.count)) }
            setFont(style)
            unsafe calls.setAlignment(layout, Int32(style.alignment))
            if let width, let units = Self.units(of: width) { unsafe calls.setWidth(layout, units) }
        } catch {
            KeeperDoor.warn(.unsupported, "no text can be drawn: \(error); install libpangocairo-1.0-0")
            return nil
        }
    }

    deinit { unsafe calls.unref(UnsafeMutableRawPointer(layout)) }

    private static func units(of points: CGFloat) -> Int32? {
        let units = Double(points) * units
        return (0...1e8).contains(units) ? NSNumber(value: units.rounded()).int32Value : nil
    }

    private func setFont(_ style: TextStyle) {
        guard let font = unsafe calls.makeFont() else { return }
        defer { unsafe calls.freeFont(font) }
        unsafe calls.setFamily(font, style.family)
        unsafe calls.setWeight(font, Int32(min(max(style.weight, 100), 1_000)))
        let leans: Int32 = 2
        unsafe calls.setStyle(font, style.isItalic ? leans : 0)
        unsafe calls.setSize(font, Self.units(of: style.size).map { Double($0) } ?? 0)
        unsafe calls.setFont(layout, font)
    }

    /// Its width and height, in points.
    package var size: CGSize {
        var (width, height): (Int32, Int32) = (0, 0)
        unsafe calls.size(layout, &width, &height)
        return CGSize(width: Double(width) / Self.units, height: Double(height) / Self.units)
    }

    /// Draws it at the context's current point, with the context's settings.
    func draw() { unsafe calls.show(cairo.target, layout) }
}

/// The calls of Pango, from pango-layout.h, pango-font.h and pangocairo.h.
@safe
private struct PangoCalls: Sendable {
    let makeLayout: @convention(c) (OpaquePointer) -> OpaquePointer?
    let setText: @convention(c) (OpaquePointer, UnsafePointer<UInt8>?, Int32) -> Void
    let setFont: @convention(c) (OpaquePointer, OpaquePointer) -> Void
    let setWidth: @convention(c) (OpaquePointer, Int32) -> Void
    let setAlignment: @convention(c) (OpaquePointer, Int32) -> Void
    let size: @convention(c) (OpaquePointer, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>) -> Void
    let show: @convention(c) (OpaquePointer, OpaquePointer) -> Void
    let makeFont: @convention(c) () -> OpaquePointer?
    let freeFont: @convention(c) (OpaquePointer) -> Void
    let setFamily: @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Void
    let setWeight: @convention(c) (OpaquePointer, Int32) -> Void
    let setStyle: @convention(c) (OpaquePointer, Int32) -> Void
    let setSize: @convention(c) (OpaquePointer, Double) -> Void
    let unref: @convention(c) (UnsafeMutableRawPointer) -> Void

    /// Opened when it is first asked for, once for a process.
    static let opened = Result { try PangoCalls() }

    private init() throws {
        let both = try DynamicLibrary("libpangocairo-1.0.so.0")
        let pango = try DynamicLibrary("libpango-1.0.so.0")
        let objects = try DynamicLibrary("libgobject-2.0.so.0")
        unsafe makeLayout = try both.function("pango_cairo_create_layout")
        unsafe show = try both.function("pango_cairo_show_layout")
        unsafe setText = try pango.function("pango_layout_set_text")
        unsafe setFont = try pango.function("pango_layout_set_font_description")
        unsafe setWidth = try pango.function("pango_layout_set_width")
        unsafe setAlignment = try pango.function("pango_layout_set_alignment")
        unsafe size = try pango.function("pango_layout_get_size")
        unsafe makeFont = try pango.function("pango_font_description_new")
        unsafe freeFont = try pango.function("pango_font_description_free")
        unsafe setFamily = try pango.function("pango_font_description_set_family")
        unsafe setWeight = try pango.function("pango_font_description_set_weight")
        unsafe setStyle = try pango.function("pango_font_description_set_style")
        unsafe setSize = try pango.function("pango_font_description_set_absolute_size")
        unsafe unref = try objects.function("g_object_unref")
    }
}
