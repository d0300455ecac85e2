// Writes the file that an extension's module needs on Linux; the plug-in ExtensionGlue runs it.
import BelfryGlueFile
import BelfrySyscalls
import Glibc

/// The most bytes of a source.
let sourceBytesMax = 16 << 20

func fail(_ text: String, _ status: Int32) -> Never {
    let line = Array("belfry-glue: \(text)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(status)
}

let arguments = CommandLine.arguments.dropFirst()
guard let output = arguments.first, let slash = output.lastIndex(of: "/") else {
    fail("usage: belfry-glue OUTPUT SOURCE…", EX_USAGE)
}
do throws(SystemError) {
    var sources: [String] = []
    var headers: [String] = []
    for path in arguments.dropFirst() {
        let text = String(decoding: try readFile(at: path, bytesMax: sourceBytesMax).bytes, as: UTF8.self)
        if path.hasSuffix(".h") { headers.append(text) } else { sources.append(text) }
    }
    let folder = try Directory.open(path: String(output[..<slash]), makes: true)
    let name = String(output[output.index(after: slash)...])
    let text = GlueFile(sources: sources, bridgingHeaders: headers).text
    try folder.write(Array(text.utf8), as: name, aside: ".\(name).\(getpid())")
} catch {
    fail("\(error)", EX_IOERR)
}
