public import CaptureModel

/// Has a camera expose at instants of which it is told before. Between them it exposes nothing, so it has no stream of frames.
///
/// Every exposure is armed, and then either its frame is asked for, or it is disarmed. Usable from any thread.
public protocol ScheduledExposures: Sendable {
    /// How long before an instant the camera is told of it at the latest.
    var lag: Duration { get }

    /// Has the camera expose such that an instant is in the middle of its exposure. Returns when the camera has acknowledged that.
    /// - Parameter clock: How this machine's clock is kept in step, as last read; nil if nothing says so.
    /// - Throws: Why it will not expose then. Whatever it exposes nevertheless is dropped, and counted as `droppedByNode`.
    func arm(
        at instant: LocalTime, following clock: DisciplinedClock<LocalTimeBase>?
    ) async throws(ExposureRefusal) -> ArmedExposure

    /// Returns the frame of an exposure, once.
    ///
    /// Always returns: with the frame, or with the reason when there will be none, at the latest when the stream ends.
    func frame(of exposure: ArmedExposure) async throws(ExposureRefusal) -> CameraFrame

    /// Gives up an exposure whose frame nobody will ask for. The camera exposes nevertheless; that frame is dropped, and counted as
    /// `droppedByNode`. Does nothing if the exposure has ended.
    func disarm(_ exposure: ArmedExposure)
}

/// An exposure that a camera has acknowledged.
public struct ArmedExposure: Hashable, Sendable {
    /// Counts the exposures of a stream.
    public var number: UInt64

    public init(number: UInt64) {
        self.number = number
    }
}
