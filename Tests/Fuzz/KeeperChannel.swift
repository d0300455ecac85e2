// What a foreign extension's process writes to its host, and the host to it. A trap is a finding, and so is what
// depends on how its bytes were cut, or was heard and cannot be said and heard again.
import BelfryTerms
import KeeperChannel

func feedHostChannel(_ bytes: [UInt8]) {
    let whole = heard(bytes, pieceBytes: max(1, bytes.count))
    precondition(heard(bytes, pieceBytes: 1) == whole, "what is heard depends on how it is cut")
    for message in whole {
        let again = heard(message.line, pieceBytes: message.line.count)
        // Text for people is escaped anew, and what was long is cut.
        if case .reply = message { precondition(again == [message], "a reply changes") }
    }
    var end = ExtensionEnd()
    for message in (try? end.take(bytes)) ?? [] {
        var other = ExtensionEnd()
        precondition((try? other.take(message.line)) == [message], "a message changes")
    }
    // Entries in the file beside a message, whose count may lie.
    for count in [1, bytes.count / 10, bytes.count / 8] where count > 0 {
        for hasLabels in [false, true] {
            guard let batch = try? DirectoryBatch(bytes, count: Int64(count), hasLabels: hasLabels) else { continue }
            precondition(batch.numbers.count == count && batch.labels.count == (hasLabels ? count : 0), "entries miss")
        }
    }
    if let news = try? KeeperNews(line: bytes) {
        precondition((try? KeeperNews(line: news.line)) == news, "news change")
    }
    if let order = try? KeeperOrder(line: bytes) {
        precondition((try? KeeperOrder(line: order.line)) == order, "an order changes")
    }
}

private func heard(_ bytes: [UInt8], pieceBytes: Int) -> [ExtensionMessage] {
    var end = KeeperEnd(folders: ChannelFolders(["/a"]))
    var messages: [ExtensionMessage] = []
    for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
        let piece = Array(bytes[start..<min(bytes.count, start + pieceBytes)])
        guard let more = try? end.take(piece, at: Instant(microseconds: 0)) else { return [] }
        messages += more
    }
    return messages
}
