public import CaptureModel
internal import PosixSupport

/// A day of a store: the shots whose T has the same UTC date.
public struct ShotDay: Hashable, Sendable {
    /// `YYYY/MM/DD`.
    public var name: String
    /// Changes whenever a shot is added or removed, but not when a shot's document changes. Opaque; empty if the store does not provide it.
    public var version: String
    /// Whether any further change is certain to change `version`.
    public var isSettled: Bool

    public init(name: String, version: String, isSettled: Bool) {
        self.name = name
        self.version = version
        self.isSettled = isSettled
    }

    /// Returns the day of an instant, as ``name``.
    public static func name(atRealtimeNanoseconds nanoseconds: Int64) -> String {
        String(UTCDate(realtimeNanoseconds: nanoseconds).description.prefix(10).map { $0 == "-" ? "/" : $0 })
    }

    /// Returns the day of a shot, as ``name``.
    public static func name(of shot: Shot) -> String {
        name(atRealtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time))
    }
}
