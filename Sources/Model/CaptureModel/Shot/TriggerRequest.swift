/// A client's request to take a shot.
public struct TriggerRequest: Hashable, Sendable {
    /// Created by the client. A repeated request cannot fire twice.
    public var shot: ShotID
    public var request: ShotRequest
    /// How long after T the client waits for outcomes, at most a day; nil lets the coordinator choose.
    public var timeout: Duration?

    public init(shot: ShotID, request: ShotRequest, timeout: Duration? = nil) {
        self.shot = shot
        self.request = request
        self.timeout = timeout
    }
}
