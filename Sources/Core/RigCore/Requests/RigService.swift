/// The rig as a front end sees it.
///
/// A front end decodes what it receives into a ``RigRequest``, hands it in, and encodes the answers. It decides nothing.
package protocol RigService: Sendable {
    /// Begins a request. Returns at once.
    /// - Returns: Any number of `progress`, then exactly one other answer. Whoever does not take progress in time is told the newest;
    ///   the last answer stays. Ending the stream early takes no command back.
    func perform(_ request: RigRequest) -> AsyncStream<RigAnswer>
}
