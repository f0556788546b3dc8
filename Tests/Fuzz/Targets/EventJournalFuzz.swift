import CaptureModel

@testable import Journal

/// The files of a node's event journal.
enum EventJournalFuzz {
    static func run(_ bytes: [UInt8]) throws {
        try check(bytes)
        // What mutates freely never has the right checksum, so a second reading begins behind it.
        try check(records(bytes).flatMap(\.bytes))
    }

    private static func check(_ file: [UInt8]) throws {
        let (records, damaged) = EventRecord.parse(file)
        try FuzzFinding.unless(
            damaged > 0 || records.flatMap(\.bytes) == file, "a file without damage holds more than its records")
        let (again, damage) = EventRecord.parse(records.flatMap(\.bytes))
        try FuzzFinding.unless(again == records && damage == 0, "records that were written are read as others")
        for record in records where record.kind == .opening || record.kind == .closing {
            guard let (name, event) = EventLife.parts(of: record.payload) else { continue }
            // A name that is no UTF-8 is one of this process no more, and is repaired.
            guard name.utf8.elementsEqual(record.payload.dropFirst().prefix(name.utf8.count)) else { continue }
            try FuzzFinding.unless(EventLife.payload(event, named: name) == record.payload, "a life is read as another")
        }
    }

    /// Records with payloads of the input's choice.
    private static func records(_ bytes: [UInt8]) -> [EventRecord] {
        var (input, records) = (FuzzInput(bytes), [EventRecord]())
        while !input.isEmpty, records.count < 32 {
            guard let kind = EventRecord.Kind(rawValue: input.number(UInt8.self) % 4 + 1),
                let epoch = Epoch(rawValue: UInt64(input.number(UInt8.self)) + 1)
            else { continue }
            let position = EventPosition(epoch: epoch, sequence: input.number())
            records.append(EventRecord(kind: kind, position: position, payload: input.block()))
        }
        return records
    }
}
