import CallDirectory

extension Checksum {
    /// Adds bytes word by word: two million rows are 24 MB, all of which a load reads and writes.
    mutating func add(chunk: [UInt8]) {
        let first = min(missingBytes, chunk.count)
        add(chunk[..<first])
        let end = first + (chunk.count - first) & ~7
        unsafe chunk.withUnsafeBytes { bytes in
            for offset in stride(from: first, to: end, by: 8) {
                add(word: UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            }
        }
        add(chunk[end...])
    }
}
