/// Where the log of pushes is: for those who write it, and those who read it.
public enum PushLogPlace {
    /// The folder of the state directory.
    public static let folderName = "apns"
    /// The file that is written, a JSON object a line.
    public static let fileName = "log.jsonl"
    /// The file before it.
    public static let olderFileName = "log.1.jsonl"
}
