internal import CaptureModel
internal import Glibc
internal import PosixSupport

/// What the files of a journal hold when it is opened.
struct EventRecovery {
    private(set) var segments: [EventSegment] = []
    private(set) var damaged: UInt64 = 0
    /// The highest number seen of each epoch.
    private(set) var lastSequences: [Epoch: UInt64] = [:]
    /// What was opened and not closed, by name.
    private(set) var lives: [String: OpenLife] = [:]
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
        let held = Set(lives.values.map(\.segment))
        while let oldest = segments.first, oldest.waiting.isEmpty, !held.contains(oldest.number) {
            try folder.remove(oldest.name)
            segments.removeFirst()
        }
    }

    /// A file that the disk cannot read back, at a second try either, or one too long to be this journal's work, counts as
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
                lives[record.life] = record.kind == .opening ? OpenLife(event: event, segment: segment.number) : nil
            case .acknowledgement:
                acknowledged[position.epoch] = max(acknowledged[position.epoch] ?? 0, position.sequence)
            case .beginning:
                segment.successors.append(position.epoch)
            }
        }
    }
}
