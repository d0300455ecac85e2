import Glibc

/// Where the programs and servers of these tests are.
enum SourceTree {
    /// A program of ours: installed in `BELFRY_TEST_BIN`, else beside this test bundle.
    static func program(_ name: String) -> String {
        (variable("BELFRY_TEST_BIN") ?? ownFolder) + "/" + name
    }

    /// A file of the source tree, which is `BELFRY_TEST_ROOT`, else where this file was compiled.
    static func file(_ path: String) -> String {
        let root =
            variable("BELFRY_TEST_ROOT") ?? #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
        return root + "/" + path
    }

    private static var ownFolder: String {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe buffer.withUnsafeMutableBytes { buffer in
            unsafe buffer.baseAddress.map {
                unsafe readlink("/proc/self/exe", $0.assumingMemoryBound(to: CChar.self), buffer.count)
            } ?? 0
        }
        let path = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    private static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
