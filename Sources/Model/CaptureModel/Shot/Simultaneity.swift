/// How simultaneous the pictures of a shot are: `simultaneity` of a manifest.
public struct Simultaneity: Hashable, Codable, Sendable {
    /// Latest minus earliest mid-exposure, in nanoseconds.
    public var spreadNanoseconds: Int64
    /// The largest error of the spread, in nanoseconds.
    public var boundNanoseconds: Int64
    /// The camera of the earliest picture. With `latest`, it is the pair that is farthest apart.
    public var earliest: DeviceID
    public var latest: DeviceID

    public var spread: Duration { .nanoseconds(spreadNanoseconds) }
    public var bound: Duration { .nanoseconds(boundNanoseconds) }

    public init(spread: Duration, bound: Duration, earliest: DeviceID, latest: DeviceID) {
        spreadNanoseconds = spread.nanoseconds
        boundNanoseconds = bound.nanoseconds
        self.earliest = earliest
        self.latest = latest
    }

    /// Compares the pictures of captures. Instants that cannot be true do not count. What the errors of cameras have in common does not
    /// count between these.
    /// - Returns: nil for fewer than two pictures.
    public init?(of captures: [Capture]) {
        let pictures = captures.compactMap { capture in
            capture.credibleTiming.map { timing in
                (
                    device: capture.device.id,
                    instant: InstantSpread.Instant(timing.midExposure, sharedError: timing.sharedError)
                )
            }
        }
        guard let spread = InstantSpread(of: pictures.map(\.instant)) else { return nil }
        self.init(
            spread: spread.spread, bound: spread.bound, earliest: pictures[spread.earliest].device,
            latest: pictures[spread.latest].device)
    }

    /// As the details of an event.
    public var eventDetails: [String: String] {
        [
            "spreadNanoseconds": "\(spreadNanoseconds)", "spreadBoundNanoseconds": "\(boundNanoseconds)",
            "earliest": "\(earliest)", "latest": "\(latest)",
        ]
    }

    /// - Returns: nil if the details say nothing of it.
    public init?(eventDetails details: [String: String]) {
        guard let spread = details["spreadNanoseconds"].flatMap({ Int64($0) }), spread >= 0,
            let bound = details["spreadBoundNanoseconds"].flatMap({ Int64($0) }), bound >= 0,
            let earliest = details["earliest"].flatMap({ try? DeviceID($0) }),
            let latest = details["latest"].flatMap({ try? DeviceID($0) })
        else { return nil }
        self.init(
            spread: .nanoseconds(spread), bound: .nanoseconds(bound), earliest: earliest, latest: latest)
    }

    private enum CodingKeys: String, CodingKey {
        case spreadNanoseconds = "spreadNanoseconds"
        case boundNanoseconds = "boundNanoseconds"
        case earliest = "earliest"
        case latest = "latest"
    }
}
