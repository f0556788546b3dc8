/// First in, first out, in constant time on average.
struct Queue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        // Half of the array is empty: moving the rest down costs no more than what was taken.
        if head == elements.count || (head >= 32 && head * 2 >= elements.count) {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    mutating func removeAll(where matches: (Element) -> Bool) {
        elements.removeAll { $0.map(matches) ?? true }
        head = 0
    }
}
