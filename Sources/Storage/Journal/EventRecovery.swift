public import CaptureModel
internal import Glibc
internal import PosixSupport

/// The state of a journal, read from its files when it is opened.
struct EventRecovery {
    private(set) var segments: [EventSegment] = []
    private(set) var damaged: UInt64 = 0
    /// The highest number found for each epoch.
    private(set) var lastSequences: [Epoch: UInt64] = [:]
    /// Lifetimes that were opened and not closed, by name.
    private(set) var openLifetimes: [String: OpenLifetime] = [:]
    /// The number of the next file.
    private(set) var nextNumber: UInt64 = 1
    private var acknowledged: [Epoch: UInt64] = [:]

    init(_ folder: Folder, limitBytes: Int64) throws(PosixError) {
        var found = try folder.names().compactMap(EventSegment.init(name:))
        found.sort { $0.number < $1.number }
        nextNumber = (found.last?.number ?? 0) + 1
        for var segment in found {
            let bytes = try read(segment, in: folder, limitBytes: limitBytes)
            segment.byteCount = Int64(bytes.count)
            replay(bytes, &segment)
            segments.append(segment)
        }
        for index in segments.indices {
            segments[index].waiting.removeAll { $0.sequence <= acknowledged[$0.epoch] ?? 0 }
        }
        let held = Set(openLifetimes.values.map(\.segment))
        while let oldest = segments.first, oldest.waiting.isEmpty, !held.contains(oldest.number) {
            try folder.remove(oldest.name)
            segments.removeFirst()
        }
    }

    /// Reads a file. One that the disk cannot read at the second attempt either, or that is too long to be this journal's, counts as
    /// damaged.
    private mutating func read(_ segment: EventSegment, in folder: Folder, limitBytes: Int64) throws(PosixError)
        -> [UInt8]
    {
        let limit = Int(clamping: max(limitBytes, 64 << 20))
        if let bytes = try? folder.read(segment.name, limit: limit) { return bytes }
        do {
            return try folder.read(segment.name, limit: limit)
        } catch {
            guard error.code == EIO || error.code == EFBIG else { throw error }
            damaged += 1
            return []
        }
    }

    private mutating func replay(_ bytes: [UInt8], _ segment: inout EventSegment) {
        let (records, damaged) = EventRecord.parse(bytes)
        self.damaged += damaged
        for record in records {
            let position = record.position
            lastSequences[position.epoch] = max(lastSequences[position.epoch] ?? 0, position.sequence)
            switch record.kind {
            case .event, .opening, .closing:
                let event = JournaledEvent(position: position, document: record.document)
                segment.waiting.append(event)
                guard record.kind.hasLife else { continue }
                openLifetimes[record.lifetime] =
                    record.kind == .opening ? OpenLifetime(event: event, segment: segment.number) : nil
            case .acknowledgement:
                acknowledged[position.epoch] = max(acknowledged[position.epoch] ?? 0, position.sequence)
            case .beginning:
                segment.successors.append(position.epoch)
            }
        }
    }
}

/// One file of a journal, and those of its events that are not acknowledged.
struct EventSegment {
    var number: UInt64
    var byteCount: Int64 = 0
    var waiting = PackedEvents()
    /// Epochs that began after the last event of the file. Their events, if any, are in later files.
    var successors: [Epoch] = []

    /// `00000042.events`
    var name: String { Self.prefix(number) + Self.suffix }

    init(number: UInt64) {
        self.number = number
    }

    /// - Returns: nil for a name that this program did not make.
    init?(name: String) {
        guard name.hasSuffix(Self.suffix), let number = UInt64(name.dropLast(Self.suffix.count)), number < .max / 2,
            Self.prefix(number) + Self.suffix == name
        else { return nil }
        self.number = number
    }

    private static let suffix = ".events"

    /// Has leading zeros, so that names sort in the order of numbers for people too.
    private static func prefix(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}

/// An event that has not been acknowledged.
public struct JournaledEvent: Hashable, Sendable {
    /// Its number, which acknowledgements refer to and which identifies repeats.
    public var position: EventPosition
    /// The bytes that were appended, or the document that corresponds to a record of an earlier version.
    public var document: [UInt8]

    public init(position: EventPosition, document: [UInt8]) {
        self.position = position
        self.document = document
    }
}

/// Events in one block of memory, in the order in which they were appended. Many events use little more than their bytes.
struct PackedEvents {
    private struct Entry {
        var position: EventPosition
        var bytes: Range<Int>
    }

    private var entries: [Entry] = []
    /// Contains the bytes of removed entries too, until the last entry is removed.
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
