@testable import ImageIO
import Testing
import UIKit

/// Pictures as extensions draw them: portraits made round, covers cut square, plain colours.
@Suite struct DrawingTests {
    /// The red, green, blue and alpha of a picture's pixel.
    private func pixel(_ x: Int, _ y: Int, of image: UIImage?) -> [UInt8] {
        guard let bitmap = image?.cgImage?.bitmap, x < bitmap.width, y < bitmap.height else { return [] }
        return Array(bitmap.rgba[(4 * (y * bitmap.width + x))...].prefix(4))
    }

    private func filled(_ size: CGSize, _ colour: UIColor, opaque: Bool = false) -> UIImage {
        let format = UIGraphicsImageRendererFormat()
        (format.scale, format.opaque) = (1, opaque)
        return UIGraphicsImageRenderer(size: size, format: format).image { context in
            colour.setFill()
            context.fill(CGRect(origin: .zero, size: size))
        }
    }

    @Test("a picture is made round: its corners are clear, its edge is soft, and a JPEG can be made of it")
    func round() throws {
        let rect = CGRect(x: 0, y: 0, width: 20, height: 20)
        let red = filled(CGSize(width: 4, height: 4), .red)
        let image = UIGraphicsImageRenderer(size: rect.size).image { _ in
            UIBezierPath(ovalIn: rect).addClip()
            red.draw(in: rect)
        }
        #expect(image.scale == UIScreen.main.scale && image.size == rect.size && image.cgImage?.width == 60)
        #expect(pixel(30, 30, of: image) == [255, 0, 0, 255] && pixel(0, 0, of: image)[3] == 0)
        let alphas = Set((0..<60).map { pixel($0, 3, of: image)[3] })
        #expect(alphas.contains { $0 > 0 && $0 < 255 })
        #expect(image.jpegData(compressionQuality: 0.8)?.starts(with: [0xFF, 0xD8]) == true)
        #expect(image.imageOrientation == .up)
    }

    @Test("a picture is cut square and drawn smaller, as it was done before renderers") func cut() throws {
        let wide = UIGraphicsImageRenderer(size: CGSize(width: 30, height: 10)).image { _ in
            UIColor.blue.set()
            UIRectFill(CGRect(x: 0, y: 0, width: 30, height: 10))
            UIColor.green.setFill()
            UIBezierPath(rect: CGRect(x: 10, y: 0, width: 10, height: 10)).fill()
        }
        #expect(pixel(0, 0, of: wide) == [0, 0, 255, 255] && pixel(45, 15, of: wide) == [0, 255, 0, 255])
        let middle = try #require(wide.cgImage?.cropping(to: CGRect(x: 30, y: 0, width: 30, height: 30)))
        #expect(wide.cgImage?.cropping(to: CGRect(x: 900, y: 0, width: 1, height: 1)) == nil)
        let square = UIImage(cgImage: middle, scale: wide.scale, orientation: wide.imageOrientation)
        UIGraphicsBeginImageContextWithOptions(CGSize(width: 4, height: 4), false, 1)
        square.draw(in: CGRect(x: 0, y: 0, width: 4, height: 4))
        let small = UIGraphicsGetImageFromCurrentImageContext()
        UIGraphicsEndImageContext()
        #expect(small?.size == CGSize(width: 4, height: 4) && pixel(0, 0, of: small) == [0, 255, 0, 255])
        #expect(UIGraphicsGetImageFromCurrentImageContext() == nil)
    }

    @Test("what is half transparent lets half of the rest through, and what is opaque is black at first")
    func transparent() {
        let size = CGSize(width: 2, height: 2)
        #expect(pixel(0, 0, of: filled(size, .clear)) == [0, 0, 0, 0])
        #expect(pixel(0, 0, of: filled(size, .clear, opaque: true)) == [0, 0, 0, 255])
        let half = pixel(0, 0, of: filled(size, UIColor.white.withAlphaComponent(0.5), opaque: true))
        #expect(half.count == 4 && half.prefix(3).allSatisfy { (126...129).contains($0) } && half[3] == 255)
        let over = UIGraphicsImageRenderer(size: size).image { _ in
            filled(size, UIColor.red.withAlphaComponent(0.5)).draw(at: CGPoint(x: 0, y: 0))
        }
        #expect(pixel(0, 0, of: over) == [255, 0, 0, 128])
    }

    @Test("round corners, ovals and rectangles have what lies in them") func shapes() {
        let rect = CGRect(x: 0, y: 0, width: 10, height: 10)
        let round = UIBezierPath(roundedRect: rect, cornerRadius: 4)
        #expect(!round.contains(CGPoint(x: 0.5, y: 0.5)) && round.contains(CGPoint(x: 5, y: 0.1)))
        #expect(UIBezierPath(rect: rect).contains(CGPoint(x: 0.1, y: 0.1)))
        #expect(!UIBezierPath(ovalIn: rect).contains(CGPoint(x: 1, y: 1)))
        #expect(!UIBezierPath(ovalIn: rect).contains(CGPoint(x: 11, y: 5)))
        #expect(UIBezierPath(roundedRect: rect, cornerRadius: 99).contains(CGPoint(x: 5, y: 5)))
    }

    /// A picture of 20 × 20 pixels, a point each.
    private func drawn(_ body: (CGContext) -> Void) -> UIImage {
        let format = UIGraphicsImageRendererFormat()
        format.scale = 1
        return UIGraphicsImageRenderer(size: CGSize(width: 20, height: 20), format: format).image { body($0.cgContext) }
    }

    @Test("a gradient goes from its first colour to its last, and beyond them only where that is asked for")
    func gradients() throws {
        let colours = [UIColor.red.cgColor, UIColor.blue.cgColor] as CFArray
        let gradient = try #require(
            unsafe CGGradient(colorsSpace: CGColorSpaceCreateDeviceRGB(), colors: colours, locations: nil))
        let (start, end) = (CGPoint(x: 0, y: 5), CGPoint(x: 0, y: 15))
        let within = drawn { $0.drawLinearGradient(gradient, start: start, end: end, options: []) }
        #expect(pixel(9, 1, of: within) == [0, 0, 0, 0] && pixel(9, 18, of: within) == [0, 0, 0, 0])
        let upper = pixel(9, 6, of: within)
        #expect(upper[0] > 200 && upper[2] < 60 && upper[3] == 255)
        let before = drawn {
            $0.drawLinearGradient(gradient, start: start, end: end, options: .drawsBeforeStartLocation)
        }
        #expect(pixel(9, 1, of: before) == [255, 0, 0, 255] && pixel(9, 18, of: before) == [0, 0, 0, 0])
        let centre = CGPoint(x: 10, y: 10)
        let radial = drawn {
            $0.drawRadialGradient(
                gradient, startCenter: centre, startRadius: 0, endCenter: centre, endRadius: 10,
                options: .drawsAfterEndLocation)
        }
        #expect(pixel(10, 10, of: radial)[0] > 230 && pixel(0, 0, of: radial) == [0, 0, 255, 255])
        #expect(unsafe CGGradient(colorsSpace: nil, colors: [] as CFArray, locations: nil) == nil)
        #expect(unsafe CGGradient(colorsSpace: nil, colors: ["red"] as CFArray, locations: nil) == nil)
    }

    @Test("a context keeps what is set and gives it back; a picture lies there as on iOS") func state() throws {
        let half = drawn {
            UIColor.red.setFill()
            $0.fill(CGRect(x: 0, y: 0, width: 20, height: 10))
        }
        let image = try #require(half.cgImage)
        let turned = drawn { $0.draw(image, in: CGRect(x: 0, y: 0, width: 20, height: 20)) }
        #expect(pixel(5, 2, of: turned)[3] == 0 && pixel(5, 18, of: turned) == [255, 0, 0, 255])
        let upright = drawn { context in
            context.saveGState()
            context.translateBy(x: 0, y: 20)
            context.scaleBy(x: 1, y: -1)
            context.draw(image, in: CGRect(x: 0, y: 0, width: 20, height: 20))
            context.restoreGState()
            context.setFillColor(red: 0, green: 1, blue: 0, alpha: 1)
            context.clip(to: CGRect(x: 0, y: 0, width: 4, height: 4))
            context.fill(CGRect(x: 0, y: 0, width: 20, height: 20))
        }
        #expect(pixel(5, 2, of: upright) == [255, 0, 0, 255] && pixel(5, 18, of: upright)[3] == 0)
        #expect(pixel(1, 1, of: upright) == [0, 255, 0, 255])
        let plain = try #require(
            unsafe CGContext(
                data: nil, width: 20, height: 20, bitsPerComponent: 8, bytesPerRow: 0,
                space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
        plain.draw(image, in: CGRect(x: 0, y: 0, width: 20, height: 20))
        plain.setFillColor(CGColor(gray: 1, alpha: 1))
        plain.fill(CGRect(x: 0, y: 0, width: 2, height: 2))
        let whole = plain.makeImage().map { UIImage(cgImage: $0, scale: 1, orientation: .up) }
        #expect(pixel(5, 2, of: whole) == [255, 0, 0, 255] && pixel(0, 19, of: whole) == [255, 255, 255, 255])
        plain.restoreGState()
        plain.scaleBy(x: 0, y: .nan)
        plain.rotate(by: .infinity)
        plain.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
        #expect(plain.makeImage() != nil)
    }

    @Test("a context's own path is filled from where it began; what is cleared is clear, and can be drawn on again")
    func ownPath() {
        let image = drawn { context in
            context.setFillColor(red: 0, green: 0, blue: 1, alpha: 1)
            context.move(to: CGPoint(x: 0, y: 0))
            context.addLine(to: CGPoint(x: 20, y: 0))
            context.addLine(to: CGPoint(x: 0, y: 20))
            context.fillPath()
            context.clear(CGRect(x: 0, y: 0, width: 4, height: 4))
            context.fill(CGRect(x: 0, y: 0, width: 2, height: 2))
        }
        #expect(pixel(6, 6, of: image) == [0, 0, 255, 255] && pixel(18, 18, of: image)[3] == 0)
        #expect(pixel(3, 3, of: image) == [0, 0, 0, 0] && pixel(1, 1, of: image) == [0, 0, 255, 255])
    }

    @Test("a picture is drawn as transparent as is asked for, and what is drawn after it is not") func faint() {
        let red = filled(CGSize(width: 4, height: 4), .red)
        let image = drawn { _ in
            UIColor.green.setFill()
            red.draw(in: CGRect(x: 0, y: 0, width: 10, height: 20), blendMode: .normal, alpha: 0.5)
            UIRectFill(CGRect(x: 10, y: 0, width: 10, height: 20))
        }
        let half = pixel(5, 5, of: image)
        #expect(half.prefix(3) == [255, 0, 0] && (126...129).contains(half[3]))
        #expect(pixel(15, 5, of: image) == [0, 255, 0, 255])
    }

    @Test("a colour that is hardly transparent is drawn as the nearest there is") func nearest() throws {
        let almost: [UInt8] = [128, 64, 200, 254]
        let bitmap = try #require(Bitmap(rgba: almost, width: 1, height: 1))
        let image = drawn { _ in UIImage(cgImage: CGImage(bitmap)).draw(at: .zero) }
        #expect(pixel(0, 0, of: image) == almost)
    }

    @Test("a rectangle whose corners are all as round as fits is an oval") func roundest() {
        let rect = CGRect(x: 0, y: 0, width: 30, height: 20)
        let round = UIBezierPath(
            roundedRect: rect, byRoundingCorners: .allCorners, cornerRadii: CGSize(width: 99, height: 99))
        let oval = UIBezierPath(ovalIn: rect)
        let points = (0..<600).map { CGPoint(x: Double($0 % 30) + 0.5, y: Double($0 / 30) + 0.5) }
        #expect(points.filter { round.contains($0) } == points.filter { oval.contains($0) })
    }

    @Test("paths of lines, curves and arcs are filled, drawn as lines and cut along") func paths() {
        let triangle = UIBezierPath()
        triangle.move(to: CGPoint(x: 10, y: 2))
        triangle.addLine(to: CGPoint(x: 18, y: 18))
        triangle.addLine(to: CGPoint(x: 2, y: 18))
        triangle.close()
        let filled = drawn { _ in
            UIColor.green.set()
            triangle.fill()
        }
        #expect(pixel(10, 14, of: filled) == [0, 255, 0, 255] && pixel(2, 4, of: filled)[3] == 0)
        #expect(triangle.contains(CGPoint(x: 10, y: 10)) && !triangle.contains(CGPoint(x: 3, y: 3)))
        let ring = UIBezierPath(
            arcCenter: CGPoint(x: 10, y: 10), radius: 8, startAngle: 0, endAngle: 2 * .pi, clockwise: true)
        ring.lineWidth = 2
        let stroked = drawn { _ in
            UIColor.blue.setStroke()
            ring.stroke()
        }
        #expect(pixel(10, 1, of: stroked)[3] > 200 && pixel(18, 10, of: stroked)[3] > 200)
        #expect(pixel(10, 10, of: stroked)[3] == 0)
        let quarter = UIBezierPath()
        quarter.move(to: .zero)
        quarter.addArc(withCenter: .zero, radius: 10, startAngle: 0, endAngle: .pi / 2, clockwise: true)
        #expect(quarter.contains(CGPoint(x: 6, y: 6)) && !quarter.contains(CGPoint(x: 8, y: 8)))
        quarter.apply(CGAffineTransform(translationX: 5, y: 0).scaledBy(x: 2, y: 2))
        #expect(quarter.contains(CGPoint(x: 17, y: 12)) && !quarter.contains(CGPoint(x: 3, y: 3)))
        let holed = UIBezierPath(rect: CGRect(x: 0, y: 0, width: 9, height: 9))
        holed.append(UIBezierPath(rect: CGRect(x: 3, y: 3, width: 3, height: 3)))
        #expect(holed.contains(CGPoint(x: 4, y: 4)))
        holed.usesEvenOddFillRule = true
        #expect(!holed.contains(CGPoint(x: 4, y: 4)) && holed.contains(CGPoint(x: 1, y: 1)))
        let corner = UIBezierPath(
            roundedRect: CGRect(x: 0, y: 0, width: 10, height: 10), byRoundingCorners: [.topLeft],
            cornerRadii: CGSize(width: 5, height: 5))
        #expect(!corner.contains(CGPoint(x: 0.5, y: 0.5)) && corner.contains(CGPoint(x: 9.5, y: 9.5)))
        #expect(corner.contains(CGPoint(x: 9.5, y: 0.5)) && corner.contains(CGPoint(x: 0.5, y: 9.5)))
    }

    @Test("initials are drawn in their colour where they belong, and are measured") func text() {
        let attributes: [NSAttributedString.Key: Any] = [
            .font: UIFont.systemFont(ofSize: 14, weight: .bold), .foregroundColor: UIColor.white,
        ]
        let size = ("AB" as NSString).size(withAttributes: attributes)
        #expect(size.width > 10 && size.width < 40 && size.height > 10 && size.height < 30)
        #expect("ABCD".size(withAttributes: attributes).width > size.width)
        #expect(NSAttributedString(string: "AB", attributes: attributes).size() == size)
        let initials = drawn { context in
            UIColor.purple.setFill()
            context.fillEllipse(in: CGRect(x: 0, y: 0, width: 20, height: 20))
            "AB".draw(at: CGPoint(x: 10 - size.width / 2, y: 10 - size.height / 2), withAttributes: attributes)
        }
        let all = (0..<400).map { pixel($0 % 20, $0 / 20, of: initials) }
        #expect(all.contains([255, 255, 255, 255]) && all.contains([128, 0, 128, 255]) && all[0][3] == 0)
        let centred = NSMutableParagraphStyle()
        centred.alignment = .center
        let left = drawn { _ in "I".draw(in: CGRect(x: 0, y: 0, width: 20, height: 20)) }
        let middle = drawn { _ in
            "I".draw(in: CGRect(x: 0, y: 0, width: 20, height: 20), withAttributes: [.paragraphStyle: centred])
        }
        func firstColumn(_ image: UIImage) -> Int? {
            (0..<20).first { x in (0..<20).contains { pixel(x, $0, of: image)[3] > 0 } }
        }
        #expect((firstColumn(left) ?? 99) < (firstColumn(middle) ?? 0))
    }

    @Test("of a text its first 16384 bytes are drawn") func longText() {
        let longest = String(repeating: "i", count: 16_384)
        #expect((longest + "W").size() == longest.size())
        #expect(String(longest.dropLast()).size().width < longest.size().width)
    }

    @Test("what is too large, or nothing, is an empty picture") func sizes() {
        for side in [0, -1, 1e9, Double.nan] {
            let size = CGSize(width: side, height: side)
            #expect(UIGraphicsImageRenderer(size: size).image { _ in }.cgImage == nil)
            UIGraphicsBeginImageContext(size)
            UIRectFill(CGRect(x: 0, y: 0, width: 1, height: 1))
            #expect(UIGraphicsGetImageFromCurrentImageContext() == nil)
            UIGraphicsEndImageContext()
        }
        let renderer = UIGraphicsImageRenderer(size: CGSize(width: 1, height: 1))
        var inside: CGFloat = 0
        let png = renderer.pngData { inside = $0.currentImage.size.width }
        let jpeg = renderer.jpegData(withCompressionQuality: 1) { _ in }
        #expect(inside == 1 && png.count > 8 && jpeg.count > 2)
        #expect(CGSize(width: 1, height: 2).debugDescription == "(1.0, 2.0)")
        #expect(CGPoint(x: 1, y: 2).debugDescription == "(1.0, 2.0)")
    }
}
