internal import CaptureModel
internal import PosixSupport

/// Reads the events of records of version 1: protobuf messages `Event` in a node's journal and `FeedEvent` in the feed's. These definitions
/// do not change with the current messages.
///
/// | field | `Event` | `FeedEvent` |
/// |---|---|---|
/// | 1 | realtime, varint | coordinator's epoch, fixed64; always present, so it distinguishes the messages |
/// | 2 | local time, varint | sequence, varint |
/// | 3 | rig time, varint, optional | node, string |
/// | 4 | its bound, varint, optional | source's epoch, fixed64 |
/// | 5 | name, string | source's sequence, varint |
/// | 6 | device: node (1) and device (2), strings | `Event` |
/// | 7 | shot, 16 bytes | – |
/// | 8 | details: key (1) and value (2), strings | – |
enum EventVersion1 {
    /// - Returns: nil if the bytes are not such a message.
    static func document(_ bytes: ArraySlice<UInt8>) -> JournalEventDocument? {
        guard let fields = Fields(bytes) else { return nil }
        guard case .fixed64? = fields.last(1) else { return event(fields).map { JournalEventDocument($0) } }
        guard let event = fields.message(6).flatMap(event), case .fixed64(let number)? = fields.last(4),
            let epoch = Epoch(rawValue: number)
        else { return nil }
        let source = NumberedEvent(epoch: epoch, sequence: fields.number(5) ?? 0, event: event)
        guard let name = fields.text(3), !name.isEmpty else { return JournalEventDocument(source, from: nil) }
        guard let node = try? NodeName(name) else { return nil }
        return JournalEventDocument(source, from: node)
    }

    private static func event(_ fields: Fields) -> RigEvent? {
        guard let name = fields.text(5) else { return nil }
        var event = RigEvent(
            EventName(rawValue: name), realtimeNanoseconds: fields.signed(1) ?? 0,
            local: LocalTime(nanoseconds: fields.signed(2) ?? 0))
        if let time = fields.signed(3), let bound = fields.signed(4) {
            event.rig = BoundedRigTime(time: RigTime(nanoseconds: time), bound: .nanoseconds(bound))
        }
        if let device = fields.message(6) {
            guard let id = try? DeviceID("\(device.text(1) ?? "")/\(device.text(2) ?? "")") else { return nil }
            event.device = id
        }
        if case .bytes(let bytes)? = fields.last(7), !bytes.isEmpty {
            guard let shot = ShotID(bytes: bytes) else { return nil }
            event.shot = shot
        }
        for case .bytes(let bytes) in fields.all(8) {
            guard let detail = Fields(bytes) else { return nil }
            event.details[detail.text(1) ?? ""] = detail.text(2) ?? ""
        }
        return event
    }

    private enum Value {
        case varint(UInt64)
        case fixed64(UInt64)
        case bytes(ArraySlice<UInt8>)
    }

    /// The fields of one message, in order.
    private struct Fields {
        private var fields: [(number: UInt64, value: Value)] = []

        init?(_ bytes: ArraySlice<UInt8>) {
            var rest = bytes
            while !rest.isEmpty {
                guard let tag = Self.varint(&rest), let value = Self.value(tag & 7, &rest) else { return nil }
                fields.append((tag >> 3, value))
            }
        }

        func all(_ number: UInt64) -> [Value] { fields.filter { $0.number == number }.map(\.value) }
        /// Returns the last value of a field, which counts if the field is repeated.
        func last(_ number: UInt64) -> Value? { fields.last { $0.number == number }?.value }

        func number(_ field: UInt64) -> UInt64? {
            if case .varint(let number)? = last(field) { number } else { nil }
        }

        func signed(_ field: UInt64) -> Int64? { number(field).map { Int64(bitPattern: $0) } }

        func text(_ field: UInt64) -> String? {
            if case .bytes(let bytes)? = last(field) { String(validating: bytes, as: UTF8.self) } else { nil }
        }

        func message(_ field: UInt64) -> Fields? {
            if case .bytes(let bytes)? = last(field) { Fields(bytes) } else { nil }
        }

        private static func value(_ type: UInt64, _ bytes: inout ArraySlice<UInt8>) -> Value? {
            switch type {
            case 0: return varint(&bytes).map { .varint($0) }
            case 1: return readBytes(8, &bytes).map { .fixed64($0.littleEndian(UInt64.self, at: $0.startIndex)) }
            case 2: return varint(&bytes).flatMap { readBytes($0, &bytes) }.map { .bytes($0) }
            default: return nil
            }
        }

        private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
            var number: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 70, by: 7) {
                guard let byte = bytes.popFirst() else { return nil }
                number |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return number }
            }
            return nil
        }

        private static func readBytes(_ count: UInt64, _ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
            guard count <= bytes.count else { return nil }
            defer { bytes = bytes.dropFirst(Int(count)) }
            return bytes.prefix(Int(count))
        }
    }
}

/// The files of a journal. Only the oldest file is ever dropped, since the acknowledgement of an event is in the same file or a later one.
extension EventJournal {
    /// Begins another file once the current one has reached its share of the limit.
    func makeRoom() {
        guard let last = segments.last, last.byteCount >= max(limitBytes / 8, 4096) else { return }
        segments.append(EventSegment(number: last.number + 1))
        current = nil
        removeFinished()
    }

    /// Counts an event that had to wait, and drops the oldest one beyond the limit.
    func keepUnwritten() {
        guard !unwritten.isEmpty else { return }
        counters.unpersisted += 1
        guard unwritten.count > Self.unwrittenLimit else { return }
        let sequence = unwritten.removeFirst().position.sequence
        lost = (lost?.lowerBound ?? sequence)...sequence
    }

    /// Appends to the current file. The caller has counted the record's length, since it also bounds the memory.
    func write(_ record: EventRecord) -> Bool {
        do {
            try append(record.bytes, to: openCurrent(segments[segments.count - 1].name))
            lastProblem = nil
            return true
        } catch {
            lastProblem = error
            return false
        }
    }

    private func openCurrent(_ name: String) throws(PosixError) -> OpenFile {
        if let current { return current }
        let file = try folder.open(name, for: .appending)
        current = file
        return file
    }

    /// Records in a file of an earlier epoch that this epoch has begun.
    func noteBeginning(behind index: Int) {
        let record = EventRecord(kind: .beginning, position: EventPosition(epoch: epoch, sequence: 0))
        do {
            try append(record.bytes, to: folder.open(segments[index].name, for: .appending))
            segments[index].successors.append(epoch)
            segments[index].byteCount += Int64(record.bytes.count)
        } catch {
            lastProblem = error
        }
    }

    /// Appends bytes. After an error it truncates a part that was written, so that later records are not read as damage.
    private func append(_ bytes: [UInt8], to file: OpenFile) throws(PosixError) {
        let before = try file.byteCount()
        do {
            try file.write(bytes)
        } catch {
            try? file.setByteCount(before)
            throw error
        }
    }

    /// Removes the oldest files that contain no unacknowledged events.
    func removeFinished() {
        while segments.count > 1, segments[0].waiting.isEmpty, !isHeld(segments[0]) { removeOldest() }
    }

    /// Whether something that began in this file has not ended.
    private func isHeld(_ segment: EventSegment) -> Bool {
        openLifetimes.values.contains { $0.segment == segment.number }
    }

    /// Drops complete files, oldest first, until the limits are met.
    func dropExcess() {
        while segments.count > 1,
            segments.count > Self.fileLimit || segments.reduce(0, { $0 + $1.byteCount }) > limitBytes
        {
            let number = segments[0].number
            counters.dropped += UInt64(segments[0].waiting.count)
            openLifetimes = openLifetimes.filter { $0.value.segment != number }
            removeOldest()
        }
    }

    private func removeOldest() {
        do {
            try folder.remove(segments[0].name)
        } catch {
            lastProblem = error
        }
        segments.removeFirst()
    }
}
