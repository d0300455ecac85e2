import Glibc

/// The repository's own files, found from this one.
enum SourceTree {
    /// One file, with its lines as they stand and as code alone.
    struct File {
        let path: String
        let lines: [String]
        let code: [String]
        /// For each line, whether it stands inside a text of several lines.
        let isText: [Bool]

        init(path: String, text: String) {
            self.path = path
            lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            code = CodeOnly.lines(of: lines)
            var isInText = false
            isText = lines.map { line in
                let marks = line.split(separator: "\"\"\"", omittingEmptySubsequences: false).count - 1
                defer { if marks % 2 == 1 { isInText.toggle() } }
                return isInText
            }
        }

        /// The folder in which it lies, under `Tests` or under a floor of `Sources`: its module.
        var module: String {
            let parts = path.split(separator: "/")
            let place = parts.first == "Sources" ? 2 : 1
            return parts.count > place + 1 ? String(parts[place]) : ""
        }

        /// The floor of `Sources` on which it lies; empty for a test.
        var floor: String {
            let parts = path.split(separator: "/")
            return parts.first == "Sources" && parts.count > 2 ? String(parts[1]) : ""
        }
    }

    /// The repository's folder.
    static let root: String = {
        let parts = #filePath.split(separator: "/").dropLast(3)
        return "/" + parts.joined(separator: "/")
    }()

    static let sources = swiftFiles(under: "Sources")
    static let tests = swiftFiles(under: "Tests")

    /// The text of a file; nil where there is none.
    static func text(of path: String) -> String? {
        guard let file = unsafe fopen("\(root)/\(path)", "re") else { return nil }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe fread($0.baseAddress, 1, $0.count, file) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Without those of packages of their own, which are built as other people's are.
    private static func swiftFiles(under folder: String) -> [File] {
        guard !entries(of: folder).contains("Package.swift") else { return [] }
        return entries(of: folder).sorted().flatMap { name -> [File] in
            let path = "\(folder)/\(name)"
            guard name.hasSuffix(".swift") else { return swiftFiles(under: path) }
            return [File(path: path, text: text(of: path) ?? "")]
        }
    }

    /// The names in a folder; none where it is no folder.
    static func entries(of folder: String) -> [String] {
        guard let directory = unsafe opendir("\(root)/\(folder)") else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}

/// Swift lines without their comments and without what stands in their strings.
enum CodeOnly {
    static func lines(of lines: [String]) -> [String] {
        var isInLongString = false
        return lines.map { line in
            let parts = Array(line.utf8)
            var code: [UInt8] = []
            var index = 0
            var isInString = false
            while index < parts.count {
                let rest = parts[index...]
                if rest.starts(with: "\"\"\"".utf8) {
                    isInLongString.toggle()
                    index += 3
                } else if isInLongString {
                    index += 1
                } else if isInString {
                    if parts[index] == UInt8(ascii: "\"") { isInString = false }
                    index += parts[index] == UInt8(ascii: "\\") ? 2 : 1
                } else if parts[index] == UInt8(ascii: "\"") {
                    isInString = true
                    code += Array("\"\"".utf8)
                    index += 1
                } else if rest.starts(with: "//".utf8) {
                    break
                } else {
                    code.append(parts[index])
                    index += 1
                }
            }
            return String(decoding: code, as: UTF8.self)
        }
    }
}
