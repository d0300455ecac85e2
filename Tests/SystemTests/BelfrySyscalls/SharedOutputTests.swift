import BelfrySyscalls
import CBelfryLinux
import Glibc
import Support
import Testing

/// Writing to what others share, without waiting and without changing it for them.
@Suite struct SharedOutputTests {
    @Test func aFullPipeIsFullAndItsOwnersFlagsStayAsTheyAre() throws {
        let pipe = try DescriptorPair.pipe()
        let output = NonBlockingOutput(pipe.writing.number)
        #expect(output.number != pipe.writing.number, "opened anew")
        let chunk = [UInt8](repeating: 1, count: 64 << 10)
        var taken = 0
        while case .wrote(let count) = output.write(chunk[...]) { taken += count }
        #expect(taken == 64 << 10)
        #expect(output.write(chunk[...]) == .full)
        #expect(!isReady(output.number, for: POLLOUT) && isReady(pipe.reading.number, for: POLLIN))
        #expect(fcntl(pipe.writing.number, F_GETFL) & O_NONBLOCK == 0)
    }

    @Test func aFullSocketIsFullAndOneThatWasLeftFails() throws {
        let sockets = try SocketPair()
        let output = NonBlockingOutput(sockets.writing.number)
        let chunk = [UInt8](repeating: 1, count: 4_096)
        while case .wrote = output.write(chunk[...]) {}
        #expect(output.write(chunk[...]) == .full)
        shutdown(sockets.reading.number, Int32(SHUT_RDWR))
        #expect(output.write(chunk[...]) == .failed)
    }

    @Test func aFileIsWrittenWhereItsOwnerStands() throws {
        let place = TemporaryFolder()
        let file = OwnedDescriptor(owning: unsafe open("\(place.path)/a", O_CREAT | O_RDWR | O_CLOEXEC, 0o600))
        let number = file.number
        #expect(unsafe write(number, "before ", 7) == 7)
        let output = NonBlockingOutput(number)
        #expect(output.write(Array("after".utf8)[...]) == .wrote(5))
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(number, $0.baseAddress, $0.count, 0) }
        #expect(String(decoding: bytes[..<count], as: UTF8.self) == "before after")
    }

    @Test func whatIsNotOpenIsOfNoKind() throws {
        let sockets = try SocketPair()
        #expect(fileKind(of: sockets.reading.number) == S_IFSOCK)
        #expect(fileKind(of: 1_000_000) == 0)
    }
}

/// What a program finds around it: variables and libraries.
@Suite struct SurroundingsTests {
    @Test func onlyTheVariablesThatAreReadAreTaken() {
        unsafe setenv("TEST_OF_ENVIRONMENT", "a=b", 1)
        let environment = Environment.ofThisProcess(startingWith: ["TEST_OF_", "PATH="])
        #expect(environment["TEST_OF_ENVIRONMENT"] == "a=b")
        #expect(environment.names.allSatisfy { $0.hasPrefix("TEST_OF_") || $0 == "PATH" })
        #expect(environment["PATH"] != nil && environment["PATH"] == Environment.allOfThisProcess()["PATH"])
        #expect(Environment.allOfThisProcess()["TEST_OF_ENVIRONMENT"] == "a=b")
    }

    @Test func aMissingHomeIsTheUsersAndOneThatIsSetStays() {
        var environment = Environment(["HOME": "/elsewhere"])
        environment.addMissingHome()
        #expect(environment["HOME"] == "/elsewhere")
        environment["HOME"] = nil
        environment.addMissingHome()
        #expect(environment["HOME"]?.hasPrefix("/") == true)
    }

    @Test func aLibraryOrFunctionThatIsMissingIsNamed() throws {
        let missing = #expect(throws: SystemError.self) { _ = try DynamicLibrary("libbelfry-missing.so.0") }
        #expect(missing?.errno == ELIBACC && missing?.subject.contains("libbelfry-missing.so.0") == true)
        let library = try DynamicLibrary("libc.so.6")
        let length: @convention(c) (UnsafePointer<CChar>) -> Int = try unsafe library.function("strlen")
        #expect(unsafe length("four") == 4)
        let error = #expect(throws: SystemError.self) {
            let _: @convention(c) () -> Void = try library.function("belfry_missing")
        }
        #expect(error?.subject.contains("belfry_missing") == true)
    }
}
