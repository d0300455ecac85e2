// belfry-directory: loads the numbers of one source of the call directory. belfry-calls and belfry(1) start it.
import BelfrySyscalls
import Glibc

let usage = """
    Usage: belfry-directory ID         load the numbers of the extension ID
           belfry-directory contacts   make the numbers of [Contacts] File= known
    It writes what happens as lines of JSON. People use belfry(1): see "belfry help directory".
    """

openMissingStandardDescriptors()
unblockAllSignals()
ignoreBrokenPipes()

let status: Int32
let words = Array(CommandLine.arguments.dropFirst())
switch words {
case ["--help"]:
    print(usage)
    status = 0
case let words where words.count == 1 && words[0].utf8.first != UInt8(ascii: "-") && !words[0].isEmpty:
    status = Loading.run(words[0])
default:
    complain("belfry-directory: unknown arguments\n" + usage)
    status = 64
}
fflush(nil)
_exit(status)
