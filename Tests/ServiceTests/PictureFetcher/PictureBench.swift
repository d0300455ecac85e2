import BelfryEventLoop
import BelfryPictures
import BelfryProtocol
import BelfrySyscalls
import BelfryTerms
import Glibc
import PictureFetcher
import Support
import Testing

/// A state directory, and shell scripts that stand in for belfry-avatar.
final class PictureBench {
    /// The address that is asked for; nothing is fetched from it here.
    static let url = "https://pictures.example/ada.png"
    /// A PNG of 2 × 2 pixels as far as anybody looks at it here.
    static let png = SmallPNG.bytes()

    let folder = TemporaryFolder()
    let loop: Loop
    var settings = PictureSettings(timeout: .seconds(20), bytesMax: 1 << 20, allow: [], from: [])
    var environment: [String: String] = [:]

    init() throws {
        loop = try Loop()
        folder.write(Self.png, to: "picture.png")
    }

    var state: String { "\(folder.path)/state" }
    var runs: Int { lines(of: "runs").count }

    /// The pictures that are kept, by their folders' names.
    var kept: [String] { names(in: "attachments") }

    /// A fetcher that does `script`, in which `$folder` is the bench's.
    func fetcher(_ script: String) -> String {
        let text = "#!/bin/sh\nfolder=\(folder.path)\necho run >>$folder/runs\n\(script)\n"
        let source = folder.write(Array(text.utf8), to: "fetcher.source")
        let path = "\(folder.path)/fetcher"
        // By another process: a child that another test starts meanwhile would have the file open for writing, and what
        // is written cannot be executed.
        let install = ChildCommand(path: "/usr/bin/install", arguments: ["-m", "755", source, path])
        let status = try? ChildProcess(install).waitUntilExit()
        precondition(status?.isSuccess == true)
        return path
    }

    /// Writes the picture and tells of it, as belfry-avatar does.
    func goodFetcher(
        _ more: String = "", bytes: Int = png.count, keepSeconds: Int = 60, first: String = ""
    ) -> String {
        let answer =
            #"{"outcome": "picture", "type": "public.png", "width": 2, "height": 2, "bytes": \#(bytes), "#
            + #""source": "png", "fetchedBytes": 9, "seconds": 0.1, "keepSeconds": \#(keepSeconds)\#(more)}"#
        return fetcher("\(first)\n/bin/cat $folder/picture.png >&3\necho '\(answer)'")
    }

    func picture(_ program: String?) -> PictureDownload {
        PictureDownload(
            loop: loop, settings: settings, statePath: state, program: program,
            variable: { [environment] in environment[$0] })
    }

    /// What comes of `picture`, and how many seconds it took.
    func outcome(of picture: PictureDownload, url: String = PictureBench.url, within: TimeSpan = .seconds(30)) -> Ended
    {
        outcomes(of: [picture], url: url, within: within)[0]
    }

    /// What comes of `pictures` that are asked for at once, in the order they end.
    func outcomes(
        of pictures: [PictureDownload], url: String = PictureBench.url, within: TimeSpan = .seconds(30)
    ) -> [Ended] {
        var ended: [Ended] = []
        let began = loop.now
        for picture in pictures {
            loop.afterThis(description: "ask") { [self] in
                picture.fetch(url, deadline: loop.now + within) { [self] in
                    ended.append(Ended(outcome: $0, seconds: (loop.now - began).seconds))
                    if ended.count == pictures.count { loop.stop() }
                }
            }
        }
        loop.run()
        return ended
    }

    func lines(of file: String) -> [Substring] {
        String(decoding: bytes(of: "\(folder.path)/\(file)"), as: UTF8.self).split(separator: "\n")
    }

    func bytes(of path: String) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4 << 20)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    /// What is in a folder of the state, sorted.
    func names(in path: String) -> [String] {
        guard let directory = try? Directory.open(path: "\(state)/\(path)", makes: false) else { return [] }
        return ((try? directory.names(max: 1_000)) ?? []).sorted()
    }
}

/// How a picture ended, and when.
struct Ended {
    let outcome: PictureDownload.Outcome
    let seconds: Double

    var skip: Skip? {
        if case .skipped(let skip) = outcome { skip } else { nil }
    }

    var path: String? {
        if case .attached(let attachment, _, _) = outcome { attachment.path } else { nil }
    }

    /// The name of the folder of its own that the picture is kept in.
    var folderName: String { path?.split(separator: "/").dropLast().last.map(String.init) ?? "none" }
}
