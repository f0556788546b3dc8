/// A query for shots or takes of a library. An empty or nil condition restricts nothing. All other conditions must hold.
public struct ShotQuery: Hashable, Sendable {
    /// The range of T on the coordinator's wall clock, in nanoseconds since 1970: `since` is inclusive, `until` is exclusive.
    public var since: Int64?
    public var until: Int64?
    /// The shot has a file of a camera that matches one of these patterns.
    public var devices: [DevicePattern]
    /// The shot has a file of a camera that had one of these labels.
    public var labels: [String]
    /// The shot has a file with one of these outcomes, of a camera that matches `devices` and `labels`.
    public var outcomes: Set<CapturedFile.Outcome>
    public var statuses: Set<Shot.Status>
    /// A part of the title, in upper or lower case.
    public var title: String?
    /// A part of the title or note, in upper or lower case.
    public var text: String?
    /// Whether somebody must have rejected a picture of the shot, of a camera that matches `devices` and `labels`.
    public var isRejected: Bool
    /// Whether the query is for takes instead of shots.
    public var isOfTakes: Bool

    public init(
        since: Int64? = nil, until: Int64? = nil, devices: [DevicePattern] = [], labels: [String] = [],
        outcomes: Set<CapturedFile.Outcome> = [], statuses: Set<Shot.Status> = [], title: String? = nil,
        text: String? = nil, isRejected: Bool = false, isOfTakes: Bool = false
    ) {
        self.since = since
        self.until = until
        self.devices = devices
        self.labels = labels
        self.outcomes = outcomes
        self.statuses = statuses
        self.title = title
        self.text = text
        self.isRejected = isRejected
        self.isOfTakes = isOfTakes
    }

    /// Whether it matches every shot.
    public var takesAll: Bool { self == ShotQuery(isOfTakes: isOfTakes) }

    /// Whether it has conditions on cameras or files.
    public var asksForFiles: Bool { !devices.isEmpty || !labels.isEmpty || !outcomes.isEmpty || isRejected }

    /// Whether a shot with this annotation matches.
    public func matches(_ shot: Shot, _ annotation: ShotAnnotation) -> Bool {
        (shot.take != nil) == isOfTakes
            && matches(realtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time))
            && (statuses.isEmpty || statuses.contains(shot.status))
            && (title.map { Self.found($0, in: Self.searchText(annotation.title)) } ?? true)
            && (text.map { Self.found($0, in: Self.searchText(annotation)) } ?? true)
            && (!asksForFiles || shot.captures.contains { matches($0, annotation) })
    }

    public func matches(realtimeNanoseconds: Int64) -> Bool {
        (since.map { realtimeNanoseconds >= $0 } ?? true) && (until.map { realtimeNanoseconds < $0 } ?? true)
    }

    /// Whether files of a camera match.
    public func matches(_ device: DeviceID, labels: [String]) -> Bool {
        (devices.isEmpty || devices.contains { $0.matches(device) })
            && (self.labels.isEmpty || self.labels.contains(where: labels.contains))
    }

    private func matches(_ capture: Capture, _ annotation: ShotAnnotation) -> Bool {
        matches(capture.device.id, labels: capture.device.labels)
            && (!isRejected || annotation.rejected.contains(capture.device.id))
            && capture.files.contains { outcomes.isEmpty || outcomes.contains($0.outcome) }
    }

    /// Compares bytes, as every index can.
    private static func found(_ part: String, in searched: String) -> Bool {
        Array(searched.utf8).contains(Array(searchText(part).utf8))
    }

    /// The form of a text used for comparison: upper and lower case are the same in every script.
    public static func searchText(_ text: String) -> String { text.lowercased() }

    public static func searchText(_ annotation: ShotAnnotation) -> String {
        searchText(annotation.title) + "\n" + searchText(annotation.note)
    }
}
