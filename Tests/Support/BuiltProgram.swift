import Glibc

/// The path of a program that was built beside these tests.
public func builtProgram(_ name: String) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    precondition(count > 0, "no /proc")
    let runner = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return String(runner[...(runner.lastIndex(of: "/") ?? runner.startIndex)]) + name
}

/// The path of a program of ours: installed in `BELFRY_TEST_BIN`, else built beside these tests.
public func testedProgram(_ name: String) -> String {
    testVariable("BELFRY_TEST_BIN").map { "\($0)/\(name)" } ?? builtProgram(name)
}

/// The path of a file of the source tree, which is `BELFRY_TEST_ROOT`, else where this file was compiled.
public func sourceFile(_ path: String) -> String {
    let root =
        testVariable("BELFRY_TEST_ROOT") ?? #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
    return "\(root)/\(path)"
}

/// What is in a file of the source tree.
public func sourceBytes(_ path: String) -> [UInt8] {
    let descriptor = unsafe open(sourceFile(path), O_RDONLY | O_CLOEXEC)
    precondition(descriptor >= 0, "cannot open \(sourceFile(path)): errno \(errno)")
    defer { close(descriptor) }
    return ScriptedWorker.readAll(descriptor)
}

/// What whoever runs the tests says by the environment; nil if nothing.
public func testVariable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
}
