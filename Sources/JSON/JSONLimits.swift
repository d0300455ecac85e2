/// How much JSON is read before it is refused: whoever writes it may be hostile.
public struct JSONLimits: Hashable, Sendable {
    /// Text longer than this, in bytes, is not looked at.
    public var bytesMax: Int
    /// Arrays and objects inside one another; the outermost counts 1.
    public var depthMax: Int
    /// Values of any kind, containers included and keys not.
    public var valuesMax: Int

    /// For lines that Belfry wrote around a foreign value, which may itself be as large as the default limits allow.
    public static let aroundForeignValue = JSONLimits(depthMax: 40, valuesMax: 10_100)

    /// Limits, by default what DESIGN section 7 gives everything that comes from outside.
    public init(bytesMax: Int = 1_048_576, depthMax: Int = 32, valuesMax: Int = 10_000) {
        self.bytesMax = bytesMax
        self.depthMax = depthMax
        self.valuesMax = valuesMax
    }
}
