/// Which shots, or takes, of a library are meant. What is empty or nil narrows nothing; everything given must hold.
public struct ShotQuery: Hashable, Sendable {
    /// T on the coordinator's wall clock, nanoseconds since 1970: not before `since`, and before `until`.
    public var since: Int64?
    public var until: Int64?
    /// The shot has a file of a camera that one of these takes.
    public var devices: [DevicePattern]
    /// The shot has a file of a camera that had one of these labels.
    public var labels: [String]
    /// The shot has a file with one of these outcomes, of a camera that `devices` and `labels` take.
    public var outcomes: Set<CapturedFile.Outcome>
    public var statuses: Set<Shot.Status>
    /// A part of the title, in upper or lower case.
    public var title: String?
    /// A part of title or note, in upper or lower case.
    public var text: String?
    /// Whether takes are meant, instead of shots.
    public var isOfTakes: Bool

    public init(
        since: Int64? = nil, until: Int64? = nil, devices: [DevicePattern] = [], labels: [String] = [],
        outcomes: Set<CapturedFile.Outcome> = [], statuses: Set<Shot.Status> = [], title: String? = nil,
        text: String? = nil, isOfTakes: Bool = false
    ) {
        self.since = since
        self.until = until
        self.devices = devices
        self.labels = labels
        self.outcomes = outcomes
        self.statuses = statuses
        self.title = title
        self.text = text
        self.isOfTakes = isOfTakes
    }

    /// Whether it takes every shot.
    public var takesAll: Bool { self == ShotQuery(isOfTakes: isOfTakes) }

    /// Whether it narrows by cameras or files.
    public var asksForFiles: Bool { !devices.isEmpty || !labels.isEmpty || !outcomes.isEmpty }

    /// Whether a shot with this annotation is meant.
    public func matches(_ shot: Shot, _ annotation: ShotAnnotation) -> Bool {
        (shot.take != nil) == isOfTakes
            && matches(realtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time))
            && (statuses.isEmpty || statuses.contains(shot.status))
            && (title.map { Self.found($0, in: Self.searchText(annotation.title)) } ?? true)
            && (text.map { Self.found($0, in: Self.searchText(annotation)) } ?? true)
            && (!asksForFiles || shot.captures.contains(where: matches))
    }

    public func matches(realtimeNanoseconds: Int64) -> Bool {
        (since.map { realtimeNanoseconds >= $0 } ?? true) && (until.map { realtimeNanoseconds < $0 } ?? true)
    }

    /// Whether files of a camera are meant.
    public func matches(_ device: DeviceID, labels: [String]) -> Bool {
        (devices.isEmpty || devices.contains { $0.matches(device) })
            && (self.labels.isEmpty || self.labels.contains(where: labels.contains))
    }

    private func matches(_ capture: Capture) -> Bool {
        matches(capture.device.id, labels: capture.device.labels)
            && capture.files.contains { outcomes.isEmpty || outcomes.contains($0.outcome) }
    }

    /// Compared as bytes, as every index can.
    private static func found(_ part: String, in searched: String) -> Bool {
        Array(searched.utf8).contains(Array(searchText(part).utf8))
    }

    /// Text as it is compared, so that upper and lower case are the same in every script.
    public static func searchText(_ text: String) -> String { text.lowercased() }

    public static func searchText(_ annotation: ShotAnnotation) -> String {
        searchText(annotation.title) + "\n" + searchText(annotation.note)
    }
}
