import Foundation

/// The local offset from UTC, for dates that people read.
enum UTCOffset {
    /// Minutes east of Greenwich at an instant of `CLOCK_REALTIME`.
    static func minutes(atRealtimeNanoseconds realtime: Int64) -> Int {
        TimeZone.current.secondsFromGMT(for: Date(timeIntervalSince1970: Double(realtime) / 1e9)) / 60
    }
}
