import BelfryPropertyList
import Testing
@testable import BelfryAppGroup

/// Whether a glance at the bytes misses no news of what is in focus, and passes over the rest.
@Suite struct GroupGlanceTests {
    static let focus = GroupFocus(dictionary: "calls", members: ["mine", "elder"])
    static let root: PropertyListDictionary = [
        "enterToForground": .bool(false), "theirs": .array([.dictionary(["calls": .integer(1)])]),
        "calls": .dictionary(["elder": call("ringing"), "mine": call("ringing"), "other": call("ringing")]),
    ]

    static func call(_ state: String) -> PropertyListValue {
        .dictionary(["state": .string(state), "name": .string("a <b> & c\n"), "until": .integer(1_234)])
    }

    /// Whether a glance for ``root`` finds nothing new in `root`.
    private func passesOver(_ root: PropertyListDictionary, focus: GroupFocus = focus) throws -> Bool {
        var glance = try #require(GroupGlance(Self.root, focus: focus))
        return glance.finding(in: root.serializedXML()) == .nothing
    }

    private func changed(_ key: String, to value: PropertyListValue?) throws -> PropertyListDictionary {
        var root = Self.root
        var calls = try #require(root["calls"]?.dictionaryValue)
        calls[key] = value
        root["calls"] = .dictionary(calls)
        return root
    }

    @Test func otherMembersThatChangeComeAndGoAreNoNews() throws {
        #expect(try passesOver(Self.root))
        #expect(try passesOver(changed("other", to: Self.call("hangup"))))
        #expect(try passesOver(changed("other", to: nil)))
        #expect(try passesOver(changed("new", to: Self.call("ringing"))))
        var others = try changed("mine2", to: Self.call("ringing"))
        var calls = try #require(others["calls"]?.dictionaryValue)
        calls["mine"] = nil
        calls["elder"] = nil
        calls["elder"] = Self.call("ringing")
        calls["mine"] = Self.call("ringing")
        others["calls"] = .dictionary(calls)
        #expect(try passesOver(others))
    }

    @Test func aKeyThatIsPassedOverIsNoNewsWhereOurWriterPutsIt() throws {
        let focus = GroupFocus(dictionary: "calls", members: ["mine", "elder"], passingOver: "missed")
        let missed = [[], [Self.call("a")], [Self.call("a"), .dictionary(["calls": .integer(1)])]]
        let versions = missed.map { missed in
            var root = Self.root
            root["calls"] = nil
            if !missed.isEmpty { root["missed"] = .array(missed) }
            root["calls"] = Self.root["calls"]
            return root
        }
        for known in versions {
            for version in versions {
                var glance = try #require(GroupGlance(known, focus: focus))
                #expect(glance.finding(in: version.serializedXML()) == .nothing)
                var elsewhere: PropertyListDictionary = ["missed": .array([])]
                for member in version.members where member.key != "missed" { elsewhere[member.key] = member.value }
                #expect(glance.finding(in: elsewhere.serializedXML()) != .nothing)
                var other = version
                other["enterToForground"] = .bool(true)
                #expect(glance.finding(in: other.serializedXML()) != .nothing)
            }
        }
        #expect(try !passesOver(versions[1]))
    }

    @Test func aGlanceFollowsMembersThatMove() throws {
        var glance = try #require(GroupGlance(Self.root, focus: Self.focus))
        var moved: PropertyListDictionary = ["first": Self.call("ringing")]
        for member in Self.root["calls"]?.dictionaryValue?.members ?? [] { moved[member.key] = member.value }
        var root = Self.root
        root["calls"] = .dictionary(moved)
        let versions = [Self.root, root, root, Self.root].map { $0.serializedXML() }
        let findings = versions.map { glance.finding(in: $0) == .nothing }
        #expect(findings == [true, true, true, true])
    }

    @Test(arguments: ["mine", "elder"]) func whateverHappensToAMemberInFocusIsNews(_ key: String) throws {
        #expect(try !passesOver(changed(key, to: nil)))
        #expect(try !passesOver(changed(key, to: Self.call("hangup"))))
        #expect(try !passesOver(changed(key, to: .bool(true))))
        #expect(try !passesOver(changed(key, to: .dictionary([:]))))
    }

    @Test func whateverHappensOutsideIsNews() throws {
        var root = Self.root
        root["enterToForground"] = .bool(true)
        #expect(try !passesOver(root))
        root["enterToForground"] = nil
        #expect(try !passesOver(root))
        for value: PropertyListValue in [.bool(true), .dictionary(["a": .integer(1)]), .array([])] {
            root = Self.root
            root["new"] = value
            #expect(try !passesOver(root))
        }
        root = Self.root
        root["calls"] = nil
        #expect(try !passesOver(root))
        root["calls"] = .dictionary([:])
        #expect(try !passesOver(root))
    }

    @Test func anotherLayoutIsNews() throws {
        var glance = try #require(GroupGlance(Self.root, focus: Self.focus))
        let bytes = Self.root.serializedXML()
        let text = String(decoding: bytes, as: UTF8.self)
        let foreign = [text.replacing("<key>", with: "\t<key>"), text.replacing("\n", with: ""), text + "\n"]
        let cut = stride(from: 0, to: bytes.count, by: 7).map { Array(bytes.prefix($0)) }
        let deceived = (cut + foreign.map { Array($0.utf8) }).count { glance.finding(in: $0) == .nothing }
        #expect(deceived == 0)
    }

    @Test func aFirstMemberThatHasBecomeEmptyIsNews() throws {
        let root = try changed("mine", to: .dictionary([:]))
        #expect(try finding(root) == .news(excerpt(of: root), isAll: true))
    }

    @Test func whereAMemberIsMissingThereIsNothingToGlanceFor() {
        #expect(GroupGlance(Self.root, focus: GroupFocus(dictionary: "calls", members: ["mine", "gone"])) == nil)
        #expect(GroupGlance(Self.root, focus: GroupFocus(dictionary: "gone", members: [])) == nil)
        #expect(GroupGlance([:], focus: Self.focus) == nil)
    }

    @Test func newsOfTheFirstMemberAndOfWhatIsOutsideComeAsAnExcerpt() throws {
        var root = try changed("mine", to: Self.call("hangup"))
        #expect(try finding(root) == .news(excerpt(of: root), isAll: true))
        root["enterToForground"] = .bool(true)
        #expect(try finding(root) == .news(excerpt(of: root), isAll: true))
        root = Self.root
        root["enterToForground"] = nil
        #expect(try finding(root) == .news(excerpt(of: root), isAll: true))
    }

    @Test func newsOfTheOthersAreToBeReadInFull() throws {
        #expect(try finding(changed("elder", to: Self.call("hangup"))) == .unclear)
        #expect(try finding(changed("elder", to: nil)) == .unclear)
        var root = try changed("elder", to: Self.call("hangup"))
        root["enterToForground"] = .bool(true)
        #expect(try finding(root) == .news(excerpt(of: root), isAll: false))
        var calls = try #require(root["calls"]?.dictionaryValue)
        calls["mine"] = Self.call("hangup")
        root["calls"] = .dictionary(calls)
        #expect(try finding(root) == .news(excerpt(of: root), isAll: false))
    }

    @Test func aFirstMemberThatIsGoneOrOfAnotherShapeIsUnclear() throws {
        let nested: PropertyListValue = .dictionary(["a": .dictionary(["b": .integer(1)]), "c": .integer(2)])
        for value: PropertyListValue? in [nil, .bool(true), .array([]), nested] {
            #expect(try finding(changed("mine", to: value)) == .unclear)
        }
        #expect(try finding(changed("mine", to: .dictionary(["state": .string("")]))) != .unclear)
    }

    /// Whichever byte is changed, nothing in focus is missed, and an excerpt says what the file says.
    @Test func noChangedByteIsMissedOrMistaken() throws {
        var glance = try #require(GroupGlance(Self.root, focus: Self.focus))
        let bytes = Self.root.serializedXML()
        let other = try #require(Self.root["calls"]?.dictionaryValue?.serializedXML(ofMember: "other"))
        let outOfFocus = try #require(bytes.firstRange(of: other))
        var (missed, mistaken, excerpts) = (0, 0, 0)
        for index in bytes.indices {
            for bit: UInt8 in [1, 2, 16] {
                var changed = bytes
                changed[index] ^= bit
                switch glance.finding(in: changed) {
                case .nothing: if !outOfFocus.contains(index) { missed += 1 }
                case .news(let root, let isAll):
                    excerpts += 1
                    guard let full = try? PropertyListDictionary.parse(changed) else { continue }
                    if try root != excerpt(of: full) || !isAll { mistaken += 1 }
                case .unclear: break
                }
            }
        }
        #expect(missed == 0)
        #expect(mistaken == 0)
        #expect(excerpts > 100)
    }

    private func finding(_ root: PropertyListDictionary) throws -> GroupGlance.Finding {
        var glance = try #require(GroupGlance(Self.root, focus: Self.focus))
        return glance.finding(in: root.serializedXML())
    }

    /// `root` with the calls in focus alone, the elder as in ``root``.
    private func excerpt(of root: PropertyListDictionary) throws -> PropertyListDictionary {
        let (known, calls) = (Self.root["calls"]?.dictionaryValue, root["calls"]?.dictionaryValue)
        var excerpt = root
        excerpt["calls"] = .dictionary([
            "mine": try #require(calls?["mine"] ?? known?["mine"]), "elder": try #require(known?["elder"]),
        ])
        return excerpt
    }
}
