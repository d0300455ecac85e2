import Fleet

/// A watch of the bucket, as a broker has it or is to have it.
struct BucketWatch {
    let number: MirrorStateMachine.WatchNumber
    let after: UInt64
    let name: String
    let subject: String
    var hasBegun = false
    /// What the broker waits for: until the watch has begun, what it delivers is kept.
    var withheld: String?
}

/// What an answer of a broker's is to.
enum AwaitedAnswer {
    case information(MirrorStateMachine.WatchNumber)
    case watch(MirrorStateMachine.WatchNumber, bucket: String, last: UInt64)
    case end(of: String)
    case fence(FenceStateMachine.FenceNumber)
    case write(AnsweringStateMachine.WriteNumber)
    /// How the brokers keep the bucket.
    case look
    case restoration
}
