import BelfryTerms

extension WarningCode {
    /// What a warning about an extension of the call directory means, and what to do about it; nil if it is about
    /// another thing.
    var directoryExplanation: (meaning: String, remedy: String)? {
        switch self {
        case .directoryOrder:
            (
                "A number is smaller than the one before: the load is refused, and what was there before stays.",
                "Sort the numbers as integers before they are added, blocked and identified ones each for themselves."
            )
        case .directoryDuplicate:
            (
                "A number came twice among the blocked, or among the identified ones: the load is refused.",
                "Add each number once of a kind, also if it has several labels."
            )
        case .directoryFormat:
            (
                "There are numbers that no call has: zero or less, with fewer than 8 digits or more than 15.",
                "A number is its country code and its national number without the leading zero, as one integer."
            )
        case .directoryIncomplete:
            (
                "The request was not completed some time after beginRequest returned, or was completed twice.",
                "Call completeRequest once, at the end, on every path."
            )
        case .directoryAsync:
            (
                "Entries came after the request was completed or cancelled: they are lost.",
                "Add all entries before completeRequest is called, and wait for what is asynchronous."
            )
        case .directoryFullAsDiff:
            (
                "isIncremental was true, and everything was added again without a removal: what the list has no more stays.",
                "If isIncremental is true, remove all entries first, or send only what has changed."
            )
        case .directoryRemoveFull:
            (
                "An entry was removed while isIncremental is false: iOS raises an exception, and the load is refused.",
                "Remove entries only if isIncremental is true."
            )
        case .directoryMemory:
            (
                "The extension had more memory than [Directory] LoadMemory= allows, and was killed.",
                "Read and add the numbers piece by piece, and keep them as integers, not as objects."
            )
        case .directorySilentReload:
            (
                "The app's number store changed, and no reload followed: calls are still judged by the old numbers.",
                "Call CXCallDirectoryManager's reloadExtension(withIdentifier:) after the last change."
            )
        default: nil
        }
    }
}
