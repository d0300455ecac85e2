/// A word of a closed list as it came over the push socket: one of `Known`, or one that a later version has added.
///
/// A closed list grows from version to version, so a program that was compiled against an older Belfry meets words
/// that its `Known` does not have. It compares and prints them all the same:
///
/// ```swift
/// switch word.known {
/// case .playing: …
/// case .unavailable: …
/// case nil: print(word.rawValue)
/// }
/// ```
public struct CodeWord<Known>: Hashable, Sendable {
    /// The word as the contract spells it.
    public let rawValue: String

    /// The word that is spelled `rawValue`, whether this version knows it or not.
    @inlinable
    public init(rawValue: String) { self.rawValue = rawValue }
}

// The constraint on `Known` is on these extensions, not on the type: to make a generic type with a constrained
// parameter, the runtime searches the whole program for the conformance, which costs a worker's start a tenth of its
// instructions.
extension CodeWord where Known: RawRepresentable, Known.RawValue == String {
    /// The word `known`.
    @inlinable
    public init(_ known: Known) { rawValue = known.rawValue }

    /// The word as this version's list has it; nil if the list does not have it.
    @inlinable
    public var known: Known? { Known(rawValue: rawValue) }

    // Where a word is spelled out, those of the same list are compared: see CodeWords.swift.

    /// Whether the word is `known`.
    @inlinable
    @_disfavoredOverload
    public static func == (word: CodeWord, known: Known) -> Bool { word.rawValue == known.rawValue }

    /// Whether the word is not `known`.
    @inlinable
    @_disfavoredOverload
    public static func != (word: CodeWord, known: Known) -> Bool { word.rawValue != known.rawValue }

    /// Whether `word` is `known`, so that `case .warning(code: .badClock, _)` is a pattern.
    @_disfavoredOverload
    public static func ~= (known: Known, word: CodeWord) -> Bool { word == known }
}

extension Optional {
    /// Whether there is a word and it is `known`: `event.ended?.reason == reason`.
    @_disfavoredOverload
    public static func == <Known: RawRepresentable>(word: Wrapped?, known: Known) -> Bool
    where Wrapped == CodeWord<Known>, Known.RawValue == String { word?.rawValue == known.rawValue }
}

extension CodeWord: CustomStringConvertible {
    /// The word as the contract spells it.
    public var description: String { rawValue }
}
