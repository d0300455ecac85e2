import BelfryPictures
import Testing

/// Cache-Control, Age and ETag, within reason.
@Suite struct FreshnessTests {
    @Test(arguments: [
        ("", 86_400), ("max-age=60", 60), ("public, Max-Age=\"60\"", 60), ("max-age=999999999999999999999", 86_400),
        ("max-age=0", 0), ("no-cache", 0), ("no-store", 0), ("private, max-age=60", 60), ("max-age=60, max-age=30", 30),
        ("max-age", 0), ("max-age=-1", 0), ("max-age=x", 0), ("s-maxage=1", 86_400), (",,=,", 86_400),
        (" \tno-cache = \"x\" ", 0),
    ])
    func readsCacheControl(_ value: String, _ seconds: Int64) {
        #expect(Freshness(headers: [("cache-control", value)]).seconds == seconds)
    }

    @Test func ageIsSubtracted() {
        #expect(Freshness(headers: [("age", "50"), ("cache-control", "max-age=60")]).seconds == 10)
        #expect(Freshness(headers: [("age", "99999999999999999999"), ("cache-control", "max-age=60")]).seconds == 0)
        #expect(Freshness(headers: [("age", "x")]).seconds == 86_400)
    }

    @Test func anEntityTagIsKeptIfItCanBeSentBack() {
        let longest = "\"" + String(repeating: "x", count: FetchLimits.entityTagBytesMax - 2) + "\""
        for tag in ["\"\"", "\"a\"", "W/\"a!~\"", longest] { #expect(Freshness.isEntityTag(tag), "\(tag)") }
        for tag in [
            "", "\"", "a", "w/\"a\"", "\"a\"b\"", "\"a b\"", "\"a\r\nX: y\"", "\"é\"", "W/",
            "\"x" + longest.dropFirst(),
        ] {
            #expect(!Freshness.isEntityTag(tag), "\(tag)")
        }
        #expect(Freshness(headers: [("etag", "\"a\"")]).entityTag == "\"a\"")
        #expect(Freshness(headers: [("etag", "a")]).entityTag == nil)
    }

    @Test func noStoreMeansNotWorthKeeping() {
        let tag = ("etag", "\"a\"")
        #expect(!Freshness(headers: [tag, ("cache-control", "no-store")]).isWorthKeeping)
        #expect(Freshness(headers: [tag, ("cache-control", "no-cache")]).isWorthKeeping)
        #expect(!Freshness(headers: [("cache-control", "no-cache")]).isWorthKeeping)
        #expect(Freshness(headers: []).isWorthKeeping)
    }
}
