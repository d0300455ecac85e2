import ImageIO

/// The largest rectangle of the shape of `aspectRatio` in the middle of `boundingRect`. Source: Apple, `AVMakeRect`.
public func AVMakeRect(aspectRatio: CGSize, insideRect boundingRect: CGRect) -> CGRect {
    guard aspectRatio.width > 0, aspectRatio.height > 0 else {
        return CGRect(x: boundingRect.midX, y: boundingRect.midY, width: 0, height: 0)
    }
    let scale = min(boundingRect.width / aspectRatio.width, boundingRect.height / aspectRatio.height)
    let (width, height) = (aspectRatio.width * scale, aspectRatio.height * scale)
    return CGRect(
        x: boundingRect.midX - width / 2, y: boundingRect.midY - height / 2, width: width, height: height)
}
