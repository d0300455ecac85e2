import BelfryPictures
import Support
import Testing

/// What is kept, for how long, and what is no entry.
@Suite struct CacheEntryTests {
    private let url: WebURL
    private let picture: KeptPicture

    init() throws {
        url = try WebURL("https://a.example/x")
        picture = try #require(KeptPicture(SmallPNG.bytes(width: 512, height: 1)))
    }

    @Test func whatIsNotKeptIsNoEntry() {
        let text = SmallPNG.chunk("zTXt", Array("A\0\0".utf8))
        let whole = entry(seconds: 60, entityTag: nil).file
        let line = whole.prefix { $0 != UInt8(ascii: "\n") } + [UInt8(ascii: "\n")]
        #expect(CacheEntry(file: line + SmallPNG.bytes(width: 512, height: 1), of: url) != nil)
        #expect(CacheEntry(file: line + SmallPNG.bytes(width: 512, height: 1, more: text), of: url) == nil)
    }

    @Test func readsBackAsItWasWritten() throws {
        let entry = entry(seconds: 60, entityTag: "\"a\"")
        #expect(CacheEntry(file: entry.file, of: url) == entry)
        #expect(CacheEntry(file: entry.file, of: try WebURL("https://a.example/y")) == nil)
    }

    @Test("two versions of Belfry share the cache, so that a file keeps its form")
    func form() {
        let file = entry(seconds: 60, entityTag: "\"a\"").file
        let head =
            #"{"version":2,"url":"https://a.example/x","fetchedAt":1000,"freshSeconds":60,"etag":"\"a\""}"# + "\n"
        #expect(file == Array(head.utf8) + picture.bytes)
    }

    @Test func noDamageGoesUnseen() {
        let file = entry(seconds: 60, entityTag: nil).file
        for index in file.indices {
            var damaged = file
            damaged[index] ^= 1
            // A number may read as another number; the picture never as another picture.
            if let entry = CacheEntry(file: damaged, of: url) { #expect(entry.picture == picture, "byte \(index)") }
        }
        for count in [0, 1, 20, file.count - 1] { #expect(CacheEntry(file: Array(file.prefix(count)), of: url) == nil) }
        #expect(CacheEntry(file: file + [0], of: url) == nil)
        #expect(CacheEntry(file: [UInt8](repeating: 0x20, count: CacheEntry.fileBytesMax + 1), of: url) == nil)
    }

    @Test func noBytesTrap() {
        var random = SeededRandom(seed: 5)
        let file = entry(seconds: 60, entityTag: "\"a\"").file
        for _ in 0..<3_000 {
            var bytes = file
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = CacheEntry(file: bytes, of: url)
        }
    }

    @Test func isFreshThenAskedForThenGone() {
        let entry = entry(seconds: 60, entityTag: "\"a\"")
        #expect(entry.use(at: 1_000) == .picture)
        #expect(entry.use(at: 1_059) == .picture)
        #expect(entry.use(at: 1_060) == .ask(entityTag: "\"a\""))
        #expect(entry.use(at: 1_000 + 86_399) == .ask(entityTag: "\"a\""))
        #expect(entry.use(at: 1_000 + 86_400) == .none)
        #expect(self.entry(seconds: 60, entityTag: nil).use(at: 1_060) == .none)
        #expect(self.entry(seconds: 86_400, entityTag: nil).use(at: 1_000 + 86_399) == .picture)
    }

    @Test func anAgeThatNobodyKnowsIsTooOld() {
        let entry = entry(seconds: 60, entityTag: nil)
        #expect(entry.use(at: 940) == .picture)
        #expect(entry.use(at: 939) == .none)
        #expect(entry.use(at: .min) == .none)
    }

    @Test func aRenewedEntryKeepsItsPictureAndTag() {
        let entry = entry(seconds: 60, entityTag: "\"a\"")
        let renewed = entry.renewed(at: 2_000, freshness: Freshness(seconds: 30))
        #expect(renewed.picture == entry.picture)
        #expect(renewed.use(at: 2_029) == .picture)
        #expect(renewed.use(at: 2_030) == .ask(entityTag: "\"a\""))
    }

    @Test func keysAreOursWhateverTheURL() throws {
        let names = try ["https://a.example/x", "https://a.example/../../etc/passwd", "http://a.example/x"].map {
            CacheKey(try WebURL($0)).fileName
        }
        #expect(Set(names).count == 3)
        #expect(names.allSatisfy(CacheKey.isFileName))
        #expect(CacheKey(try WebURL("HTTPS://A.example:443/x#y")).fileName == names[0])
        for name in ["", "../" + names[0], names[0] + "x", names[0].uppercased(), ".tmp", "0" + names[0]] {
            #expect(!CacheKey.isFileName(name))
        }
        // Workers of two versions share the cache.
        #expect(names[0] == "c43c199714c5785a.picture")
    }

    private func entry(seconds: Int64, entityTag: String?) -> CacheEntry {
        CacheEntry(
            url: url, fetchedAt: 1_000, freshness: Freshness(seconds: seconds, entityTag: entityTag), picture: picture)
    }
}
