internal import CaptureModel

/// Reads the events of records of version 1: protobuf messages `Event` in a node's journal and `FeedEvent` in the feed's, as
/// they were defined then. The definitions of today's messages may change; these do not.
///
/// | field | `Event` | `FeedEvent` |
/// |---|---|---|
/// | 1 | realtime, varint | coordinator's epoch, fixed64; never absent, and so what tells the messages apart |
/// | 2 | local time, varint | sequence, varint |
/// | 3 | rig time, varint, optional | node, string |
/// | 4 | its bound, varint, optional | source's epoch, fixed64 |
/// | 5 | name, string | source's sequence, varint |
/// | 6 | device: node (1) and device (2), strings | `Event` |
/// | 7 | shot, 16 bytes | – |
/// | 8 | details: key (1) and value (2), strings | – |
enum EventVersion1 {
    /// - Returns: nil where the bytes are no such message.
    static func document(_ bytes: ArraySlice<UInt8>) -> EventDocument? {
        guard let fields = Fields(bytes) else { return nil }
        guard case .fixed64? = fields.last(1) else { return event(fields).map { EventDocument($0) } }
        guard let event = fields.message(6).flatMap(event), case .fixed64(let number)? = fields.last(4),
            let epoch = Epoch(rawValue: number)
        else { return nil }
        let source = NumberedEvent(epoch: epoch, sequence: fields.number(5) ?? 0, event: event)
        guard let name = fields.text(3), !name.isEmpty else { return EventDocument(source, from: nil) }
        guard let node = try? NodeName(name) else { return nil }
        return EventDocument(source, from: node)
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
        /// Of a field that comes several times the last counts.
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
            case 1: return take(8, &bytes).map { .fixed64($0.littleEndian(UInt64.self, at: $0.startIndex)) }
            case 2: return varint(&bytes).flatMap { take($0, &bytes) }.map { .bytes($0) }
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

        private static func take(_ count: UInt64, _ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
            guard count <= bytes.count else { return nil }
            defer { bytes = bytes.dropFirst(Int(count)) }
            return bytes.prefix(Int(count))
        }
    }
}
