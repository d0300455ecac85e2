/// How many warnings tell of the attachments of one notification that are dropped (S5).
public enum DroppedAttachments {
    /// How many are told of one by one.
    public static let warningsMax = 16

    /// The details of the warnings to give, of those in `details`, one an attachment: the first ``warningsMax``, and
    /// how many the others are.
    public static func told(_ details: [String]) -> [String] {
        guard details.count > warningsMax else { return details }
        return details.prefix(warningsMax) + ["and \(details.count - warningsMax) more attachments"]
    }
}
