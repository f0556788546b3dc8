/// What an event means to something that lasts, such as a capture: a journal knows what was opened and not closed, also
/// after a crash.
public enum EventLife: Hashable, Sendable {
    /// The thing of this name begins with the event.
    case opens(String)
    /// The thing of this name has ended with the event.
    case closes(String)

    /// The name as a record holds it: at most 255 bytes, `_` for each that is no visible ASCII character.
    var name: String {
        switch self {
        case .opens(let name), .closes(let name):
            String(
                decoding: name.utf8.prefix(255).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "_") },
                as: UTF8.self)
        }
    }

    var kind: EventRecord.Kind {
        switch self {
        case .opens: .opening
        case .closes: .closing
        }
    }
}

/// Something that was opened and not closed.
struct OpenLife {
    /// The event that opened it.
    var event: JournaledEvent
    /// The file that holds the event, which stays as long as the life is open.
    var segment: UInt64
}
