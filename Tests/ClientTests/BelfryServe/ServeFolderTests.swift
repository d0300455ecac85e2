import BelfryServe
import BelfrySyscalls
import Glibc
import Support
import Testing

/// The folder of a push server, among others that are made and swept beside it.
@Suite struct ServeFolderTests {
    @Test("many that are made at once in one place never take one another for a dead one's") func sideBySide() throws {
        let place = TemporaryFolder()
        let threads = (0..<8).map { _ in
            PosixThread { [path = place.path] in
                for _ in 0..<200 {
                    do throws(SystemError) {
                        let folder = try ServeFolder(in: [path])
                        #expect(unsafe access(folder.socketPath, F_OK) == -1)
                        folder.remove()
                    } catch {
                        Issue.record("\(error)")
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(try Directory.open(path: place.path, makes: false).names(max: 9) == [])
    }
}
