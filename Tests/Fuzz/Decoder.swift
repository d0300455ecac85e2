// The way of a picture through the fetcher, from what a server sent to what the worker keeps. A trap is a finding, so
// is what the libraries that decode do wrong under the sanitizer, and a picture that the worker would not keep.
import BelfryPictures
@testable import PictureFetch

/// Larger ones take the decoders long and say nothing new.
private let pixelsMax = 1 << 16

func feedDecoder(_ bytes: [UInt8]) {
    guard let header = try? PictureHeader(of: bytes), header.width * header.height <= pixelsMax,
        let decoder = try? PictureDecoder(header.format)
    else { return }
    let frame = FirstFrame.only(of: bytes, as: header.format)
    guard let (png, width, height) = try? decoder.decode(frame, deadline: FetchDeadline(milliseconds: 60_000)) else {
        return
    }
    precondition((1...512).contains(width) && (1...512).contains(height), "a picture that is too large")
    precondition(KeptPicture(KeptPicture.plain(png)) != nil, "a picture that is not kept")
}
