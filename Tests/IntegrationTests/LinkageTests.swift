import Testing

/// What the loader has to find before a worker's first instruction; each library costs every call 0.05 ms and more.
@Suite struct LinkageTests {
    /// libsystemd and libcanberra are opened when they are needed, the rest is linked statically.
    @Test func aWorkerNeedsTheCLibraryAlone() throws {
        let answer = try run("/usr/bin/ldd", ["\(Surroundings.programs)/belfry-worker"])
        let libraries = answer.output.split(separator: "\n").compactMap { line in
            line.split(whereSeparator: { $0 == " " || $0 == "\t" }).first?.split(separator: "/").last.map(String.init)
        }
        let strangers = libraries.filter { name in
            !["linux-vdso", "libc.so.6", "libm.so.6", "ld-linux"].contains { name.hasPrefix($0) }
        }
        #expect(libraries.contains("libc.so.6"), "\(answer)")
        #expect(strangers.isEmpty)
    }
}
