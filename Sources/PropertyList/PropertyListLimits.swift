/// How much of a property list is read before it is refused: whoever wrote it may be hostile, or broken.
public enum PropertyListLimits {
    /// Largest file, in bytes.
    public static let bytesMax = 1_048_576
    /// Dictionaries and arrays inside one another; the outermost counts 1.
    public static let depthMax = 32
    /// Values of any kind, containers included and keys not: three times what a thousand calls need.
    public static let valuesMax = 50_000
    /// Bytes of text and data once everything that a binary property list shares has been copied for each use.
    public static let unfoldedBytesMax = 4 * bytesMax
}
