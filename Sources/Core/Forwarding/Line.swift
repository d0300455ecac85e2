/// A queue: first in, first out.
struct Line<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    private var start = 0

    /// The next element; nil if the line is empty.
    var first: Element? { start < elements.count ? elements[start] : nil }

    /// How many wait.
    var count: Int { elements.count - start }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard let element = first else { return nil }
        start += 1
        // Not each time, since removing moves all that remain: only when half of the array has left the line.
        if start >= 64, start * 2 >= elements.count {
            elements.removeFirst(start)
            start = 0
        }
        return element
    }
}
