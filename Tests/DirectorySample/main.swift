// An extension of the call directory: what is written beside its program, else Xcode's template.
import CallKit
import DirectoryProcess

let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
let written = try? String(contentsOf: folder.appendingPathComponent("do.txt"), encoding: .utf8)

DirectoryProcess.run(written.map { WrittenHandler($0) } ?? CallDirectoryHandler())
