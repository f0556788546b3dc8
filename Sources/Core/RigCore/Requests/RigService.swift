/// The rig as seen by a front end.
///
/// A front end decodes received messages into a ``RigRequest``, passes it on, and encodes the answers. It makes no
/// decisions.
package protocol RigService: Sendable {
    /// Begins a request. Returns at once.
    /// - Returns: Any number of `progress`, then exactly one other answer. A slow reader gets only the newest progress;
    ///   the last answer stays. Ending the stream early does not cancel a command.
    func perform(_ request: RigRequest) -> AsyncStream<RigAnswer>
}
