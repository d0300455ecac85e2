/// The version of Belfry that all its programs are of.
public enum BelfryVersion {
    /// Three numbers.
    public static let number = "0.1.0"
}
