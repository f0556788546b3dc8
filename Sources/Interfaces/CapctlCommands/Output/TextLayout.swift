internal import Foundation
internal import RigDocuments

/// How a report is laid out for people.
struct TextLayout: Sendable {
    /// The columns of the terminal; nil where a line may have any length.
    var width: Int?
    /// Whether everything is shown: every column of a table, whole ids, and times to the millisecond. Then lines may have any
    /// length.
    var isWide = false
    /// Whether tables have headings.
    var hasHeadings = true
    /// The time zone of dates.
    var zone = TimeZone.gmt

    /// The width that tables have to keep to.
    var limit: Int? { isWide ? nil : width }

    /// A date with its offset from UTC, as `date --rfc-3339` writes it: `2026-11-21 11:15:43+01:00`.
    /// - Parameter nanoseconds: `CLOCK_REALTIME`, since 1970.
    func time(_ nanoseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: TimeInterval(nanoseconds / 1_000_000_000))
        let offset = zone.secondsFromGMT(for: date)
        let (local, overflow) = nanoseconds.addingReportingOverflow(Int64(offset) * 1_000_000_000)
        guard !overflow else { return RFC3339.text(realtimeNanoseconds: nanoseconds) }
        let text = RFC3339.text(realtimeNanoseconds: local).replacing("T", with: " ")
        return text.dropLast(isWide ? 7 : 11) + Self.text(offset: offset)
    }

    /// A date of a document; the text itself if it is not one.
    /// - Parameter text: RFC 3339.
    func time(_ text: String) -> String { RFC3339.realtimeNanoseconds(text).map(time) ?? text }

    private static func text(offset: Int) -> String {
        let minutes = abs(offset) / 60
        let (hour, minute) = ("\(minutes / 60)", "\(minutes % 60)")
        return (offset < 0 ? "-" : "+") + [hour, minute].map { $0.count < 2 ? "0" + $0 : $0 }.joined(separator: ":")
    }
}
