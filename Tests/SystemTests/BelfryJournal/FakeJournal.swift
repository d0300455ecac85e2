import BelfrySyscalls
import Glibc
import Support
import Testing

/// The journal's peer of the native protocol: a datagram socket in a folder of its own, read field by field.
@safe
final class FakeJournal {
    let path: String
    private let folder = TemporaryFolder()
    private var number: Int32 = -1

    /// A journal that listens, unless `isListening` is false.
    init(isListening: Bool = true) throws {
        path = "\(folder.path)/socket"
        if isListening { try listen() }
    }

    deinit {
        leave()
    }

    func listen() throws {
        number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        try bindUnixSocket(number, to: path)
    }

    /// Goes away as a journald that is stopped for good does.
    func leave() {
        if number >= 0 { close(number) }
        number = -1
        unsafe unlink(path)
    }

    /// The next datagram as it came; nil if there is none.
    func nextDatagram() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(number, $0.baseAddress, $0.count, 0) }
        return count < 0 ? nil : Array(buffer[..<count])
    }

    /// The next entry's fields in order; nil if there is none. Traps the test where the framing is wrong.
    func nextEntry() throws -> [(name: String, value: [UInt8])]? {
        guard let datagram = nextDatagram() else { return nil }
        var rest = datagram[...]
        var fields: [(name: String, value: [UInt8])] = []
        while !rest.isEmpty {
            let end = try #require(rest.firstIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "\n") })
            let name = String(decoding: rest[..<end], as: UTF8.self)
            let isCounted = rest[end] == UInt8(ascii: "\n")
            rest = rest[(end + 1)...]
            let count: Int
            if isCounted {
                try #require(rest.count >= 8)
                count = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(8)
            } else {
                count = try #require(rest.firstIndex(of: UInt8(ascii: "\n"))) - rest.startIndex
            }
            try #require(rest.count > count)
            fields.append((name, Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
            try #require(rest.first == UInt8(ascii: "\n"))
            rest = rest.dropFirst()
        }
        return fields
    }

    /// The next entry's fields as text.
    func nextFields() throws -> [String: String]? {
        guard let entry = try nextEntry() else { return nil }
        var fields: [String: String] = [:]
        for field in entry { fields[field.name] = String(decoding: field.value, as: UTF8.self) }
        #expect(fields.count == entry.count, "a field came twice")
        return fields
    }
}
