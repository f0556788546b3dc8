internal import CaptureModel

/// One file of a journal, and those of its events that still wait for their acknowledgement.
struct EventSegment {
    var number: UInt64
    var byteCount: Int64 = 0
    var waiting = PackedEvents()
    /// Lives that have begun behind the last event of the file. Their events, where they have any, are in later ones.
    var successors: [Epoch] = []

    /// `00000042.events`
    var name: String { Self.prefix(number) + Self.suffix }

    init(number: UInt64) {
        self.number = number
    }

    /// - Returns: nil for a name this program did not make.
    init?(name: String) {
        guard name.hasSuffix(Self.suffix), let number = UInt64(name.dropLast(Self.suffix.count)), number < .max / 2,
            Self.prefix(number) + Self.suffix == name
        else { return nil }
        self.number = number
    }

    private static let suffix = ".events"

    /// Leading zeros, so that the order of names is the order of numbers for people too.
    private static func prefix(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}
