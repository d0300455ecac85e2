/// Finds the name that was probably meant.
public enum NearestName {
    /// The longest word that is compared: longer ones are no typing errors, and would cost time.
    private static let lengthMax = 64

    /// How many letters may differ.
    public enum Nearness: Sendable {
        /// A third of the candidate, at least two: where only the candidates are valid.
        case guess
        /// A quarter of the candidate, at least one: where other words are valid too.
        case slip
    }

    /// The candidate with the fewest changed, added, lost or swapped letters; nil if none is near. Case does not
    /// matter.
    public static func nearest(
        to word: String, of candidates: [String], within nearness: Nearness = .guess
    ) -> String? {
        guard !word.isEmpty, word.utf8.count <= lengthMax else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let count = candidate.utf8.count
            let distanceMax =
                switch nearness {
                case .guess: max(2, count / 3)
                case .slip: max(1, count / 4)
                }
            guard abs(count - word.utf8.count) <= distanceMax else { continue }
            let distance = distance(word, candidate)
            guard distance <= distanceMax, distance < count else { continue }
            if let current = best, current.distance <= distance { continue }
            best = (candidate, distance)
        }
        return best?.name
    }

    /// The optimal string alignment distance of two words, byte by byte, in lower case.
    private static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.lowercased().utf8)
        let right = Array(right.lowercased().utf8)
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                var cost = min(last[column + 1] + 1, current[column] + 1)
                cost = min(cost, last[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
