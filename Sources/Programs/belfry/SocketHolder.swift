import BelfrySyscalls
import BelfryTerms

/// A process that has a socket open, as `/proc` tells. Only this user's processes can be looked into.
struct SocketHolder {
    /// Its name, as the kernel has it.
    let name: String
    /// Its number.
    let process: String

    private static let nameBytesMax = 4_096
    private static let namesMax = 1 << 16

    /// The first process that has one of the sockets with these inodes.
    ///
    /// - Parameter wanted: the name of the processes that are looked into, nil for all. One of that name that cannot be
    ///   looked into counts as one that has it.
    static func first(of inodes: [String], named wanted: String? = nil) -> SocketHolder? {
        let sockets = Set(inodes.map { "socket:[\($0)]" })
        for process in names(in: "/proc") ?? [] where process.utf8.allSatisfy(\.isASCIIDigit) {
            if let wanted, name(of: process) != wanted { continue }
            let descriptors = names(in: "/proc/\(process)/fd")
            guard let descriptors else {
                if let wanted { return SocketHolder(name: wanted, process: process) }
                continue
            }
            let isHolder = descriptors.contains {
                linkTarget("/proc/\(process)/fd/\($0)").map(sockets.contains) == true
            }
            if isHolder { return SocketHolder(name: name(of: process), process: process) }
        }
        return nil
    }

    private static func name(of process: String) -> String {
        let text = readKernelFile("/proc/\(process)/comm", bytesMax: nameBytesMax) ?? []
        return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private static func names(in path: String) -> [String]? { try? Directory.names(at: path, max: namesMax) }
}
