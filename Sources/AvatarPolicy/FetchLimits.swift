/// What every fetch is held to, whatever its request says.
public enum FetchLimits {
    /// Bytes of a URL, before and after redirects.
    public static let urlBytesMax = 2_048
    /// Redirects that are followed.
    public static let redirectsMax = 3
    /// Bytes of all headers of one answer, interim answers (1xx) included.
    public static let headerBytesMax = 64 << 10
    /// Bytes of a picture as it arrives, at most, in a request.
    public static let bodyBytesMax = 10 << 20
    /// Milliseconds of a fetch, at most, in a request.
    public static let millisecondsMax = 25_000
    /// Pixels of a picture's width and of its height, as its header states them.
    public static let sideMax = 8_192
    /// Pixels of a picture in all, 32 Mi.
    public static let pixelsMax = 32 << 20
    /// Pixels of the long side of what is written.
    public static let writtenSideMax = 512
    /// Bytes of what is written: 512 × 512 pixels of 4 bytes that do not compress, twice.
    public static let writtenBytesMax = 2 << 20
    /// Bytes of an entity tag, quotes included.
    public static let entityTagBytesMax = 256
    /// Bytes of the line a request stands in; ``hostsMax`` hosts of the greatest length fit.
    public static let requestBytesMax = 1 << 20
    /// Bytes of the line an answer stands in.
    public static let answerBytesMax = 8 << 10
    /// Hosts or blocks in one list of a request.
    public static let hostsMax = 1_024
}
