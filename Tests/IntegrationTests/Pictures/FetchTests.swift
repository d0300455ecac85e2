import BelfryJSON
import BelfryPictures
import BelfrySyscalls
import BelfryTerms
import Support
import Testing

/// belfry-avatar against a server that does everything wrong.
@Suite(.serialized) struct FetchTests {
    private let server: HostileServer

    init() throws {
        server = try unsafe HostileServer.shared.get()
    }

    @Test(arguments: ["png", "jpeg", "gif", "webp", "animated.gif", "animated.webp", "polyglot"])
    func fetchesEveryFormatAsAPlainPNG(_ name: String) throws {
        let fetcher = try Fetcher(server.url(name))
        let picture = try #require(fetcher.answer.flatMap(picture), "\(fetcher)")
        #expect(name.hasSuffix(picture.source.rawValue) || name == "polyglot")
        #expect(picture.bytes == fetcher.picture.count)
        let written = try WrittenPicture(fetcher.picture)
        #expect(written.width == 64 && written.height == 32)
        #expect(written.isRed(2, 2) && !written.isRed(60, 2) && !written.isRed(2, 30))
        #expect(KeptPicture(fetcher.picture) != nil, "no metadata: \(written.chunkTypes)")
    }

    @Test func turnsUprightAndForgetsWhereItWasTaken() throws {
        let fetcher = try Fetcher(server.url("rotated.jpeg"))
        let written = try WrittenPicture(fetcher.picture)
        #expect(written.width == 32 && written.height == 64)
        #expect(written.isRed(30, 2) && !written.isRed(2, 2))
        #expect(KeptPicture(fetcher.picture) != nil, "no metadata: \(written.chunkTypes)")
    }

    @Test(arguments: [("wide", 512, 128), ("thin", 512, 1), ("largest", 512, 256)])
    func scalesToTheLongSide(_ name: String, _ width: Int, _ height: Int) throws {
        let fetcher = try Fetcher(server.url(name))
        let written = try WrittenPicture(fetcher.picture)
        #expect(written.width == width && written.height == height)
        let picture = try #require(fetcher.answer.flatMap(picture))
        #expect(picture.width == width && picture.height == height)
    }

    @Test(arguments: [
        ("status/404", SkipReason.httpStatus), ("status/500", .httpStatus), ("status/204", .httpStatus),
        ("status/206", .httpStatus), ("status/304", .httpStatus),
        ("redirect/4/png", .tooManyRedirects), ("loop", .tooManyRedirects),
        ("redirect-to?file:///etc/passwd", .badScheme), ("redirect-to?ftp://127.0.0.1/", .badScheme),
        ("redirect-to?http://u:p@127.0.0.1/", .credentialsInURL), ("redirect-to?http:///", .badURL),
        ("redirect-to?http://10.1.2.3/", .addressRefused), ("redirect-to?http://[::1]/", .addressRefused),
        ("half/jpeg", .transferFailed), ("promise/1000/20M", .decodeFailed), ("promise/100000/png", .transferFailed),
        ("promise/99999999999999999999/png", .tooLarge), ("promise/20000000/png", .tooLarge),
        ("20M", .tooLarge), ("unsized/20M", .tooLarge), ("endless", .tooLarge),
        ("endless-head", .transferFailed), ("endless-interim", .transferFailed),
        ("gzip/png", .notAnImage), ("gzip-bomb", .notAnImage),
        ("html", .notAnImage), ("svg", .notAnImage), ("empty", .notAnImage),
        ("as/image/png/html", .notAnImage), ("as/image/png/svg", .notAnImage), ("as/image/svg+xml/svg", .notAnImage),
        ("truncated/png", .decodeFailed), ("truncated/jpeg", .decodeFailed), ("truncated/gif", .decodeFailed),
        ("truncated/webp", .decodeFailed), ("zero", .decodeFailed),
        ("60000", .tooManyPixels), ("8193", .tooManyPixels), ("33M", .tooManyPixels),
        ("not-http", .transferFailed), ("nothing", .transferFailed),
    ])
    func goesWithout(_ path: String, _ reason: SkipReason) throws {
        let fetcher = try Fetcher(server.url(path))
        #expect(fetcher.reason == reason, "\(fetcher)")
        #expect(fetcher.picture.isEmpty)
        #expect(fetcher.status.isSuccess)
        #expect(fetcher.complaint.isEmpty)
    }

    @Test(arguments: ["endless-head", "endless-header", "endless-interim"])
    func saysThatThereAreTooManyHeaders(_ path: String) throws {
        let fetcher = try Fetcher(server.url(path))
        #expect(fetcher.detail == "127.0.0.1 sends more than 65536 bytes of headers")
        #expect(fetcher.reason == .transferFailed)
    }

    @Test(arguments: ["never", "drip/png", "drip-head"])
    func endsInTime(_ path: String) throws {
        let fetcher = try Fetcher(server.url(path), milliseconds: 300)
        #expect(fetcher.reason == .timeout)
        let seconds = try #require(fetcher.answer).seconds
        #expect(seconds >= 0.25 && seconds < 0.8, "\(seconds) s")
    }

    @Test(arguments: ["redirect/1/png", "redirect/3/png", "cookie", "unsized/png", "chunked/png", "as/text/html/png"])
    func arrivesAllTheSame(_ path: String) throws {
        let fetcher = try Fetcher(server.url(path))
        #expect(fetcher.answer.flatMap(picture) != nil, "\(fetcher)")
    }

    @Test(arguments: [
        ("good", SkipReason?.none), ("elsewhere", .tlsFailed), ("expired", .tlsFailed), ("untrusted", .tlsFailed),
    ])
    func verifiesCertificates(_ listener: String, _ reason: SkipReason?) throws {
        let fetcher = try Fetcher(
            server.secureURL("png", listener), environment: ["SSL_CERT_FILE": server.authority])
        #expect(fetcher.reason == reason, "\(fetcher)")
        #expect(fetcher.picture.isEmpty == (reason != nil))
    }

    @Test func withoutTheTestAuthorityNothingIsTrusted() throws {
        let fetcher = try Fetcher(server.secureURL("png", "good"))
        #expect(fetcher.reason == .tlsFailed)
    }

    @Test func countsWhatArrivesAgainstTheLimitOfTheRequest() throws {
        #expect(try Fetcher(server.url("png"), bytesMax: 100).reason == .tooLarge)
        #expect(try Fetcher(server.url("unsized/png"), bytesMax: 100).reason == .tooLarge)
        let size = try #require(try Fetcher(server.url("png")).answer.flatMap(picture)).fetchedBytes
        #expect(try Fetcher(server.url("unsized/png"), bytesMax: size).reason == nil)
        #expect(try Fetcher(server.url("unsized/png"), bytesMax: size - 1).reason == .tooLarge)
    }

    @Test func saysWhoItIsAndNothingElse() throws {
        let server = try HostileServer()
        _ = try Fetcher(
            server.url("cookie"),
            environment: ["http_proxy": "http://127.0.0.1:\(server.port("private"))", "HOME": "/root"])
        let requests = try server.requests()
        #expect(requests.count == 2)
        #expect(try server.connectionCount("private") == 0, "no proxy from the environment")
        for request in requests {
            let headers = try #require(request["headers"]?.objectValue)
            #expect(Set(headers.members.map(\.key)) == ["host", "user-agent", "accept"])
            #expect(headers["user-agent"]?.stringValue?.hasPrefix("Belfry") == true)
        }
    }

    @Test func fromLimitsTheHostBeforeAnythingIsAsked() throws {
        let server = try HostileServer()
        #expect(try Fetcher(server.url("png"), from: ["pictures.example"]).reason == .hostNotAllowed)
        #expect(try server.connectionCount("http") == 0)
        #expect(try Fetcher(server.url("png"), from: ["127.0.0.1"]).reason == nil)
        let elsewhere = "redirect-to?http://localhost:\(server.port("private"))/png"
        #expect(try Fetcher(server.url(elsewhere), from: ["127.0.0.1"]).reason == .hostNotAllowed)
        #expect(try server.connectionCount("private") == 0)
    }

    @Test func asksWhetherAPictureChanged() throws {
        let first = try Fetcher(server.url("cached/one/png?max-age=60"))
        #expect(first.answer?.freshness == Freshness(seconds: 60, entityTag: "\"one\""))
        let same = try Fetcher(server.url("cached/one/png?max-age=90"), entityTag: "\"one\"")
        #expect(same.answer?.outcome == .unchanged)
        #expect(same.answer?.freshness == Freshness(seconds: 90, entityTag: "\"one\""))
        #expect(same.picture.isEmpty)
        let other = try Fetcher(server.url("cached/two/png?no-store"), entityTag: "\"one\"")
        #expect(other.answer.flatMap(picture) != nil)
        #expect(other.answer?.freshness.isWorthKeeping == false)
    }

    private func picture(_ answer: FetchAnswer) -> FetchAnswer.Picture? {
        guard case .picture(let picture) = answer.outcome else { return nil }
        return picture
    }
}
