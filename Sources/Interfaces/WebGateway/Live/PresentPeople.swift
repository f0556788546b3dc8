/// Who has the page open, and how often. A value; the gateway's limit of connections bounds it.
struct PresentPeople: Hashable, Sendable {
    /// The most people that a page is told of, and the most labels of each.
    static let limit = 64
    static let labelLimit = 8

    /// Somebody's open page.
    struct Visitor: Hashable, Sendable {
        /// The holder of the key that made the session.
        var principal: String
        /// The session's, such as the name of a screen.
        var label: String
    }

    /// Pages of each visitor, at least 1.
    private var pages: [Visitor: Int] = [:]

    mutating func enter(_ visitor: Visitor) {
        pages[visitor, default: 0] += 1
    }

    mutating func leave(_ visitor: Visitor) {
        let left = pages[visitor, default: 1] - 1
        pages[visitor] = left > 0 ? left : nil
    }

    /// The people by name, each once.
    var document: PresenceDocument {
        let visits = Dictionary(grouping: pages, by: \.key.principal)
        let people = visits.keys.sorted().map { name in
            let visits = visits[name] ?? []
            let labels: [String] = visits.map(\.key.label).sorted()
            return PresenceDocument.Person(
                labels: Array(labels.prefix(Self.labelLimit)), pages: visits.map(\.value).reduce(0, +), principal: name)
        }
        return PresenceDocument(more: max(0, people.count - Self.limit), people: Array(people.prefix(Self.limit)))
    }
}

/// Who has the page open: the message `present` of the WebSocket.
struct PresenceDocument: Encodable, Hashable {
    struct Person: Encodable, Hashable {
        /// Of the person's sessions, each once; the first few if there are many.
        var labels: [String]
        var pages: Int
        var principal: String
    }

    /// The number of people who are not listed.
    var more: Int
    var people: [Person]
}
