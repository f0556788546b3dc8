import CaptureModel

@testable import Journal

/// The files of a node's event journal.
enum EventJournalFuzz {
    static func run(_ bytes: [UInt8]) throws {
        try check(bytes)
        // What mutates freely never has the right checksum, so a second reading begins behind it.
        try check(records(bytes).flatMap(\.bytes))
        try readDocument(bytes)
    }

    private static func check(_ file: [UInt8]) throws {
        let (records, damaged) = EventRecord.parse(file)
        let former = Array("CEJ1".utf8)
        // Records of version 1 are not written as they were.
        try FuzzFinding.unless(
            damaged > 0 || records.flatMap(\.bytes) == file
                || file.indices.contains { file[$0...].starts(with: former) },
            "a file without damage holds more than its records")
        let (again, damage) = EventRecord.parse(records.flatMap(\.bytes))
        try FuzzFinding.unless(again == records && damage == 0, "records that were written are read as others")
        for record in records where record.kind.isEvent { try readDocument(record.document) }
    }

    /// What is read as an event is written as the same.
    private static func readDocument(_ bytes: [UInt8]) throws {
        if let event = EventVersion1.document(bytes[...]).flatMap({ try? $0.event() }) {
            try FuzzFinding.unless(
                try JournalEventDocument(bytes: JournalEventDocument(event).bytes).event() == event,
                "an event of version 1 is written as another")
        }
        guard let event = try? JournalEventDocument(bytes: bytes).event() else { return }
        try FuzzFinding.unless(
            try JournalEventDocument(bytes: JournalEventDocument(event).bytes).event() == event,
            "an event is written as another")
    }

    /// Records with documents of the input's choice.
    private static func records(_ bytes: [UInt8]) -> [EventRecord] {
        var (input, records) = (FuzzInput(bytes), [EventRecord]())
        while !input.isEmpty, records.count < 32 {
            let kinds = EventRecord.Kind.allCases
            let kind = kinds[Int(input.number(UInt8.self)) % kinds.count]
            guard let epoch = Epoch(rawValue: UInt64(input.number(UInt8.self)) + 1) else { continue }
            let position = EventPosition(epoch: epoch, sequence: input.number())
            let block = input.block()
            records.append(
                EventRecord(
                    kind: kind, position: position,
                    lifetime: kind.hasLife
                        ? EventLifetime.opens(String(decoding: block.prefix(9), as: UTF8.self)).name : "",
                    document: kind.isEvent ? block : []))
        }
        return records
    }
}
