internal import CaptureModel

/// Events in one stretch of memory, in the order in which they were appended: many of them take little more than their bytes.
struct PackedEvents {
    private struct Entry {
        var position: EventPosition
        var bytes: Range<Int>
    }

    private var entries: [Entry] = []
    /// Those of entries that were removed stay until the last one is.
    private var bytes: [UInt8] = []

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    mutating func append(_ event: JournaledEvent) {
        let start = bytes.count
        bytes += event.document
        entries.append(Entry(position: event.position, bytes: start..<bytes.count))
    }

    /// - Parameter index: Below ``count``.
    subscript(index: Int) -> JournaledEvent {
        JournaledEvent(position: entries[index].position, document: Array(bytes[entries[index].bytes]))
    }

    func firstIndex(where isMeant: (EventPosition) -> Bool) -> Int? {
        entries.firstIndex { isMeant($0.position) }
    }

    func lastIndex(where isMeant: (EventPosition) -> Bool) -> Int? {
        entries.lastIndex { isMeant($0.position) }
    }

    mutating func removeAll(where isMeant: (EventPosition) -> Bool) {
        entries.removeAll { isMeant($0.position) }
        if entries.isEmpty { bytes.removeAll(keepingCapacity: true) }
    }
}
