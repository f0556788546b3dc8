internal import ArgumentParser
internal import CaptureModel
internal import Catalogue
internal import RigClient
internal import RigDocuments
internal import SystemClock

/// Options of `capctl shots list` that select shots.
struct ShotQueryOptions: ParsableArguments {
    @Option(
        help: """
            Only shots whose instant is not before this: how long ago (10m, 2d), an RFC 3339 date, or a day in UTC \
            (2026-11-21).
            """,
        transform: ShotQueryOptions.realtime)
    var since: Int64?

    @Option(
        help: "Only shots whose instant is before this; a day means its beginning.",
        transform: ShotQueryOptions.realtime)
    var until: Int64?

    @Option(
        help:
            "Only shots with a file of a matching camera: N/D, with * and ?, or a device's name on any node. Repeatable."
    )
    var device: [String] = []

    @Option(help: "Only shots with a file of a camera that had this label. Repeatable.")
    var label: [String] = []

    @Option(
        help: """
            Only shots with a file that is pending, done, late, missed or failed; with --device or --label, a file of a \
            matching camera. Repeatable.
            """,
        transform: ShotQueryOptions.word)
    var outcome: [CapturedFile.Outcome] = []

    @Option(
        help: "Only shots that are open, complete, partial or failed. Repeatable.", transform: ShotQueryOptions.word)
    var status: [Shot.Status] = []

    @Option(help: "Only shots with this text in their title; case is ignored.")
    var title: String?

    @Option(help: "Only shots with this text in their title or note.")
    var text: String?

    @Flag(help: "Only shots with a rejected picture; with --device or --label, a picture of a matching camera.")
    var rejected = false

    var query: ShotQuery {
        ShotQuery(
            since: since, until: until, devices: device.compactMap(DevicePattern.init), labels: label,
            outcomes: Set(outcome), statuses: Set(status),
            title: title, text: text, isRejected: rejected)
    }

    func validate() throws {
        if let since, let until, since >= until { throw ValidationError("--since must be before --until.") }
        for text in device where DevicePattern(text) == nil {
            throw ValidationError("'\(text)' is not a device pattern; write node1/cam1, 'node1/*', '*/top?' or cam1")
        }
        for text in [title, text].compactMap(\.self) {
            guard (1...ShotAnnotation.longestTitle).contains(text.utf8.count) else {
                throw ValidationError("--title and --text must have 1 to \(ShotAnnotation.longestTitle) bytes.")
            }
        }
    }

    /// Reads a time of the past: how long ago it was, or its date.
    /// - Returns: Nanoseconds since 1970.
    static func realtime(_ text: String) throws -> Int64 {
        try realtime(text, now: SystemTimeSource().wallClockPair().realtimeNanoseconds)
    }

    static func realtime(_ text: String, now: Int64) throws -> Int64 {
        if let ago = Duration(commandLine: text), ago >= .zero {
            return now.subtractingReportingOverflow(ago.nanoseconds).partialValue
        }
        let isDay = text.utf8.count == 10
        guard let time = RFC3339.realtimeNanoseconds(isDay ? text + "T00:00:00Z" : text) else {
            throw ValidationError(
                "'\(text)' is not a time; write 10m for ten minutes ago, 2026-11-21 for a day in UTC, or 2026-11-21T10:15:43.25+01:00"
            )
        }
        return time
    }

    private static func word<Word: RawRepresentable & CaseIterable>(
        _ text: String
    ) throws -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: text) else {
            throw ValidationError("'\(text)' is not one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }
}
