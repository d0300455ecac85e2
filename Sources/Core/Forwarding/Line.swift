/// Those who wait in line: the first to come is the first to go.
struct Line<Element> {
    private var elements: [Element] = []
    private var start = 0

    /// Who is next; nil if nobody waits.
    var first: Element? { start < elements.count ? elements[start] : nil }

    /// How many wait.
    var count: Int { elements.count - start }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard let element = first else { return nil }
        start += 1
        // Half of it is of those who went.
        if start >= 64, start * 2 >= elements.count {
            elements.removeFirst(start)
            start = 0
        }
        return element
    }
}
