import BelfryAppGroup
import BelfryPropertyList
import BelfryTerms
import Foundation
import Support
import Testing
import UserNotifications

/// `UserDefaults` over the group file: what one process sets, the others see at once.
@Suite(.onPhone) struct UserDefaultsTests {
    typealias Defaults = UserNotifications.UserDefaults

    @Test("what is set is in the group's file at once, with its type")
    func written() {
        let (defaults, file) = Phone.group("group.written")
        defaults.set(5, forKey: "int")
        defaults.set(true, forKey: "bool")
        defaults.set(0.5, forKey: "double")
        defaults.set(Float(0.25), forKey: "float")
        defaults.set("é", forKey: "text")
        defaults.set(Data([1, 2]), forKey: "data")
        defaults.set(Date(timeIntervalSinceReferenceDate: 7), forKey: "date")
        defaults.set(["a": [1, true]] as [String: Any], forKey: "object")
        defaults.setValue(NSNumber(value: 6), forKey: "boxed")
        let expected: PropertyListDictionary = [
            "int": .integer(5), "bool": .bool(true), "double": .real(0.5), "float": .real(0.25), "text": .string("é"),
            "data": .data([1, 2]), "date": .date(7), "object": .dictionary(["a": .array([.integer(1), .bool(true)])]),
            "boxed": .integer(6),
        ]
        #expect(file.snapshot().root == expected)
        defaults.removeObject(forKey: "int")
        defaults.set(nil, forKey: "bool")
        #expect(file.snapshot().root["int"] == nil && file.snapshot().root["bool"] == nil)
    }

    @Test("what another process sets, changes or removes is seen at once, without synchronize()")
    func seen() {
        let (defaults, file) = Phone.group("group.seen")
        #expect(defaults.object(forKey: "n") == nil && defaults.integer(forKey: "n") == 0)
        for number in 1...20 {
            _ = file.transactBlocking { $0.root["n"] = .integer(Int64(number)) }
            #expect(defaults.integer(forKey: "n") == number)
            defaults.set(number, forKey: "mine")
            #expect(file.snapshot().root["mine"] == .integer(Int64(number)), "nothing of the other's is lost")
        }
        _ = file.transactBlocking { $0.root["n"] = nil }
        #expect(defaults.object(forKey: "n") == nil)
    }

    @Test("each accessor reads what iOS reads")
    func accessors() throws {
        let (defaults, _) = Phone.group("group.accessors")
        defaults.set("12.5", forKey: "digits")
        defaults.set("YES", forKey: "yes")
        defaults.set(3, forKey: "three")
        #expect(defaults.integer(forKey: "digits") == 12 && defaults.double(forKey: "digits") == 12.5)
        #expect(defaults.bool(forKey: "yes") && defaults.bool(forKey: "three") && !defaults.bool(forKey: "absent"))
        #expect(defaults.string(forKey: "three") == "3" && defaults.string(forKey: "absent") == nil)
        #expect(defaults.float(forKey: "three") == 3 && defaults.value(forKey: "three") as? Int64 == 3)
        defaults.set(Data([1]), forKey: "bytes")
        #expect(defaults.data(forKey: "bytes") == Data([1]) && defaults.data(forKey: "three") == nil)
        defaults.set(["a", "b"], forKey: "texts")
        defaults.set(["a", 1] as [Any], forKey: "mixed")
        #expect(defaults.stringArray(forKey: "texts") == ["a", "b"] && defaults.stringArray(forKey: "mixed") == nil)
        #expect(defaults.array(forKey: "mixed")?.count == 2 && defaults.dictionary(forKey: "mixed") == nil)
        let (file, web) = (URL(fileURLWithPath: "/a/b c"), try #require(URL(string: "https://a.b/c?d")))
        defaults.set(file, forKey: "file")
        defaults.set(web, forKey: "web")
        #expect(defaults.url(forKey: "file")?.path == "/a/b c" && defaults.url(forKey: "web") == web)
        #expect(defaults.synchronize())
        defaults.register(defaults: ["three": 9, "registered": 7])
        #expect(defaults.integer(forKey: "three") == 3 && defaults.integer(forKey: "registered") == 7)
        #expect(defaults.dictionaryRepresentation()["registered"] as? Int == 7)
    }

    @Test("a change is posted, and domains are read, replaced and removed")
    func domains() {
        let (defaults, file) = Phone.group("group.domains")
        nonisolated(unsafe) var posted = 0
        let observer = NotificationCenter.default.addObserver(
            forName: Defaults.didChangeNotification, object: defaults, queue: nil
        ) { _ in unsafe posted += 1 }
        defaults.set(1, forKey: "a")
        NotificationCenter.default.removeObserver(observer)
        #expect(unsafe posted == 1)
        #expect(Defaults.standard.persistentDomain(forName: "group.domains")?["a"] as? Int == 1)
        defaults.setPersistentDomain(["b": 2], forName: "group.domains")
        #expect(file.snapshot().root == ["b": .integer(2)])
        defaults.removePersistentDomain(forName: "group.domains")
        #expect(file.snapshot().root.isEmpty && defaults.persistentDomain(forName: "group.domains") == nil)
    }

    @Test("lists work up to the file's limit, and a large one is told, once, by its key; beyond that nothing is set")
    func large() {
        let (defaults, file) = Phone.group("group.large")
        func warnings() -> [String] { Phone.warnings(.groupLarge).filter { $0.contains("group.large") } }
        defaults.set(Data(count: 100 << 10), forKey: "small")
        // Belfry's own keys do not count, whoever sets them.
        defaults.set(Data(count: 300 << 10), forKey: "calls")
        defaults.set(Data(count: (156 << 10) - 1), forKey: "numbers")
        #expect(warnings().isEmpty)
        let list = [String](repeating: String(repeating: "x", count: 160), count: 1 << 10)
        defaults.set(list, forKey: "numbers")
        #expect(warnings().count == 1 && warnings().allSatisfy { $0.hasPrefix("numbers of group.large has 160 KiB") })
        #expect(defaults.stringArray(forKey: "numbers") == list)
        defaults.removeObject(forKey: "calls")
        defaults.set(list + ["more"], forKey: "numbers")
        #expect(warnings().count == 1)
        let before = file.snapshot().root
        defaults.set(Data(count: 1 << 20), forKey: "more")
        #expect(file.snapshot().root == before && defaults.data(forKey: "more") == nil)
        #expect(warnings().count == 2 && Phone.warnings(.groupUnwritable).contains { $0.contains("group.large") })
        // As many values as a reader takes, less the file itself, the two lists and what is small beside them.
        defaults.removeObject(forKey: "numbers")
        defaults.removeObject(forKey: "small")
        let flags = [Bool](repeating: true, count: 49_998)
        defaults.set(flags, forKey: "flags")
        #expect(defaults.array(forKey: "flags")?.count == flags.count)
        defaults.set(flags + [false], forKey: "flags")
        #expect(defaults.array(forKey: "flags")?.count == flags.count)
        #expect(Phone.warnings(.groupUnwritable).contains { $0.contains("more than 50000 values") })
    }

    @Test("the program's own defaults may be large: no ring reads them")
    func largeOwn() {
        Defaults.standard.set(Data(count: 300 << 10), forKey: "own list")
        #expect(!Phone.warnings(.groupLarge).contains { $0.contains("own list") })
        Defaults.standard.removeObject(forKey: "own list")
    }

    @Test("the program's own defaults are no group's, and a name that no group has gives none")
    func names() {
        Defaults.standard.set(3, forKey: "own")
        #expect(Defaults(suiteName: nil)?.integer(forKey: "own") == 3 && Defaults().integer(forKey: "own") == 3)
        for name in ["", "../x", "group x", Defaults.globalDomain] { #expect(Defaults(suiteName: name) == nil) }
        #expect(Phone.warnings(.unsupported).contains { $0.contains("../x") })
    }

    @Test("what no property list holds ends the process, as iOS does")
    func badValue() async {
        await #expect(processExitsWith: .failure) {
            Defaults.standard.set(NSObject(), forKey: "a")
        }
    }

    @Test("threads that set different keys lose nothing to one another")
    func threads() {
        let (defaults, file) = Phone.group("group.threads")
        DispatchQueue.concurrentPerform(iterations: 40) { number in
            Phone.door.run {
                UserNotifications.UserDefaults(suiteName: "group.threads")?.set(number, forKey: "k\(number)")
            }
        }
        #expect(file.snapshot().root.count == 40 && defaults.integer(forKey: "k39") == 39)
    }
}
