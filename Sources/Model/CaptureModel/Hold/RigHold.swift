/// The hold of a rig: until it ends, only its holder changes the rig.
///
/// Modeled after AVFoundation's `lockForConfiguration()`, but of a whole rig, with a name and an end.
public struct RigHold: Hashable, Sendable {
    /// Who holds the rig. Through a gateway this is the person whose session asked, on whichever page.
    public var holder: Principal
    /// What for, as the holder says it; empty if the holder says nothing. ``isValid(note:)`` allows it.
    public var note: String
    /// When it began. A renewal does not change it.
    public var taken: RigTime
    /// The first instant at which the hold has ended.
    public var ends: RigTime

    public init(holder: Principal, note: String, taken: RigTime, ends: RigTime) {
        self.holder = holder
        self.note = note
        self.taken = taken
        self.ends = ends
    }

    /// How long a hold may last from the request that takes or renews it.
    public static let durations: ClosedRange<Duration> = .seconds(10)...(.seconds(4 * 3600))
    /// The longest note, in bytes of UTF-8.
    public static let longestNote = 256

    /// Returns whether a hold may have this note: one line, which may be empty.
    public static func isValid(note: String) -> Bool {
        note.utf8.count <= longestNote && !note.hasUnprintable
    }
}

/// A hold with the date at which it ends.
public struct HoldStatus: Hashable, Sendable {
    public var hold: RigHold
    /// `hold.ends` on the coordinator's wall clock as it was when this was said, in nanoseconds since 1970. For people only.
    public var endsRealtimeNanoseconds: Int64

    public init(_ hold: RigHold, endsRealtimeNanoseconds: Int64) {
        self.hold = hold
        self.endsRealtimeNanoseconds = endsRealtimeNanoseconds
    }
}

/// A request to hold a rig, or to go on holding it.
public struct HoldRequest: Hashable, Sendable {
    /// From the receipt of the request to the end of the hold; one of ``RigHold/durations``.
    public var duration: Duration
    /// nil: that of the hold that is renewed, or none.
    public var note: String?
    /// The name of the holder whose hold an administrator ends with this request; nil to end nobody's.
    public var overrides: String?

    public init(duration: Duration, note: String? = nil, overrides: String? = nil) {
        self.duration = duration
        self.note = note
        self.overrides = overrides
    }
}
