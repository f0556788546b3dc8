/// What an event means to something that lasts, such as a capture: a journal knows what was opened and not closed, also
/// after a crash.
public enum EventLife: Hashable, Sendable {
    /// The thing of this name begins with the event.
    case opens(String)
    /// The thing of this name has ended with the event.
    case closes(String)

    var name: String {
        switch self {
        case .opens(let name), .closes(let name): name
        }
    }

    var kind: EventRecord.Kind {
        switch self {
        case .opens: .opening
        case .closes: .closing
        }
    }

    /// The payload of a record: the name's length (1 byte), the name, and the event. Longer names are cut.
    static func payload(_ event: [UInt8], named name: String) -> [UInt8] {
        let name = name.utf8.prefix(Int(UInt8.max))
        return [UInt8(name.count)] + name + event
    }

    /// The name and the event of a record's payload; nil where it is none.
    static func parts(of payload: [UInt8]) -> (name: String, event: [UInt8])? {
        guard let count = payload.first.map(Int.init), payload.count > count else { return nil }
        return (String(decoding: payload[1..<count + 1], as: UTF8.self), Array(payload[(count + 1)...]))
    }
}

/// Something that was opened and not closed.
struct OpenLife {
    /// The event that opened it.
    var event: JournaledEvent
    /// The file that holds the event, which stays as long as the life is open.
    var segment: UInt64
}
