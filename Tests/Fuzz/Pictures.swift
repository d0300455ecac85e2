// What reads foreign bytes about pictures. The first byte chooses the reader. A trap is a finding, and so is an answer
// that breaks what its reader promises.
import BelfryPictures

func feedPictures(_ bytes: [UInt8]) {
    let input = Array(bytes.dropFirst())
    let text = String(decoding: input, as: UTF8.self)
    switch bytes.first ?? 0 {
    case 0: readPicture(input)
    case 1:
        guard let answer = FetchAnswer(line: input) else { return }
        precondition(FetchAnswer(line: answer.line) != nil, "an answer does not read back")
    case 2:
        guard let request = FetchRequest(line: input) else { return }
        precondition(FetchRequest(line: request.line) == request, "a request does not read back")
    case 3: readURL(text)
    case 4:
        let freshness = Freshness(headers: [("cache-control", text), ("age", text), ("etag", text)])
        precondition((0...Freshness.secondsMax).contains(freshness.seconds), "a freshness out of range")
    case 5:
        guard let url = try? WebURL("http://a.example/"), let entry = CacheEntry(file: input, of: url) else { return }
        precondition(CacheEntry(file: entry.file, of: url) == entry, "an entry does not read back")
    case 6:
        guard let address = InternetAddress(bytes: input) else { return }
        precondition([4, 16].contains(input.count), "an address of \(input.count) bytes")
        precondition(AddressBlock(text: "\(address)")?.contains(address) ?? false, "an address does not read back")
    default:
        guard let block = AddressBlock(text: text) else { return }
        precondition(block.contains(block.address), "a block without its own address")
    }
}

private func readPicture(_ bytes: [UInt8]) {
    guard let header = try? PictureHeader(of: bytes) else { return }
    precondition(header.width * header.height <= FetchLimits.pixelsMax, "too many pixels pass")
    let frame = FirstFrame.only(of: bytes, as: header.format)
    precondition(PictureFormat(of: frame) == header.format, "the first frame is another format")
    guard let left = try? PictureHeader(of: frame) else { preconditionFailure("the first frame has no header") }
    precondition(left.width <= header.width && left.height <= header.height, "the first frame is larger")
}

private func readURL(_ text: String) {
    guard let url = try? WebURL(text) else { return }
    // Percent-encoding may make it too long to be read again, and nothing else may happen to it.
    if url.text.utf8.count <= FetchLimits.urlBytesMax {
        precondition((try? WebURL(url.text)) == url, "a URL does not read back")
    }
    precondition(url.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a URL with blanks")
    if case .address(let address) = url.host {
        let isRefused = DestinationRules().refusal(of: url) != nil
        precondition(isRefused || address.refusal == nil, "an address gets through")
    }
    if let start = try? WebURL("http://a.example/x") { _ = try? start.resolving(text) }
}
