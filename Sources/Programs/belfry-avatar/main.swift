// belfry-avatar: fetches one picture and rewrites it as a small PNG, in a process that can do nothing else.
//
// Standard input: a FetchRequest as one JSON line. Descriptor 3: an empty regular file, open for writing.
// Standard output: a FetchAnswer as one JSON line; then the picture, if there is one, is complete.
// Exit 0 after any answer; 64 if it was started by hand; 70 without an answer.
// SIGALRM or SIGXCPU ends a run that takes too long.
import BelfrySyscalls
import Glibc
import PictureFetch

guard CommandLine.arguments.count == 1, fcntl(3, F_GETFD) != -1 else {
    printError("is started by belfry-worker: a request on standard input, the picture to descriptor 3")
    exit(64)
}
unblockAllSignals()
ignoreBrokenPipes()
do throws(SystemError) {
    try FetchRun.write(try FetchRun.answerStandardInput())
} catch {
    printError("\(error)")
    exit(70)
}
// _exit runs no exit handlers: a picture may have taken over the libraries that registered them.
_exit(0)

private func printError(_ text: String) {
    let line = Array("belfry-avatar: \(text)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
