/// A client's request to take a shot.
public struct TriggerRequest: Hashable, Sendable {
    /// Minted by the client; repeating it cannot fire twice.
    public var shot: ShotID
    public var request: ShotRequest
    /// How long after T the client waits for outcomes; nil leaves it to the coordinator. At most a day.
    public var timeout: Duration?

    public init(shot: ShotID, request: ShotRequest, timeout: Duration? = nil) {
        self.shot = shot
        self.request = request
        self.timeout = timeout
    }
}
