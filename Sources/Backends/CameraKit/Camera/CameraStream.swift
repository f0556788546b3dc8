public import CaptureModel

/// A running camera: its agreed format, its frames, and the way to stop it.
public protocol CameraStream: Sendable {
    /// The format agreed with the hardware. Constant for the lifetime of the stream.
    var format: VideoFormat { get }

    /// The numeric range of the samples of ``frames``, if they are not JPEG images. Constant for the lifetime of the
    /// stream.
    var sampleRange: SampleRange { get }

    /// The hardware's own description, for EXIF.
    var hardware: CameraHardware { get }

    /// Frames in the order in which they were dequeued, for one consumer. A late consumer loses the oldest waiting
    /// frames, which are counted as `droppedByNode`. The sequence ends when the stream has stopped or the device has
    /// failed; ``failure`` then has the reason.
    var frames: AsyncStream<CameraFrame> { get }

    /// Whether exposure time and gain of a frame are those with which it was taken, as the camera tells with the frame.
    /// Otherwise they are the values of the controls, as last read, which the frame need not have yet. Constant for the
    /// lifetime of the stream.
    var statesFrameValues: Bool { get }

    /// Takes the pictures of a camera that has no frames: then ``frames`` has none, and ends when the stream does. nil for a camera with
    /// frames. Constant for the lifetime of the stream.
    var stills: (any StillSource)? { get }

    /// Has a camera expose at given instants that exposes at no other ones: then ``frames`` has none, and ends when the stream does. nil for
    /// every other camera. Constant for the lifetime of the stream.
    var exposures: (any ScheduledExposures)? { get }

    /// Frames lost so far before they reached ``frames``, by cause. `delivered` and `stalls` stay 0 here, because the
    /// session counts them. `torn` are frames that could not be converted to ``format``.
    var losses: FrameCounters { get }

    /// Why the stream ended on its own; nil while it runs and after ``stop()``.
    var failure: CameraError? { get }

    /// Returns the device's controls, each with its present value.
    ///
    /// A slow device is asked on a separate thread, never on that of the frames.
    /// - Throws: ``CameraError``; also if the stream has ended.
    func controls() async throws(CameraError) -> [DeviceControl]

    /// Sets controls by name, all or none.
    /// - Parameter values: In the units that ``controls()`` states; for a button any value.
    /// - Returns: The value of each afterwards, read back, which the device may have rounded. Controls that cannot be
    ///   read, such as a button, are left out.
    /// - Throws: ``CameraError`` with code `unsupportedControl` for an unknown name, a control that cannot be set or
    ///   has no effect in the present state of others, and a value out of range. Then everything is unchanged. If a
    ///   value could not be restored, the reason names it.
    func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64]

    /// What moves the phase of its exposures. Constant for the lifetime of the stream.
    var phaseControl: PhaseControl { get }

    /// Moves all further exposures once, later by a positive duration and earlier by a negative one. The interval stays.
    /// - Parameter shift: Within the range of ``phaseControl``.
    /// - Returns: By how much they are moved: the nearest multiple of the camera's step.
    /// - Throws: ``CameraError``; `unsupportedControl` if nothing moves them like this. Then nothing is moved.
    func shiftPhase(by shift: Duration) async throws(CameraError) -> Duration

    /// Stops streaming and closes the device. Returns when it is free for others. Does nothing if already stopped.
    func stop() async
}

extension CameraStream {
    /// Returns none, for a camera without controls.
    public func controls() async throws(CameraError) -> [DeviceControl] { [] }

    /// Refuses everything: a camera without controls.
    public func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64] {
        try refuseControls(values)
    }

    /// What a camera without controls answers.
    package func refuseControls(_ values: [String: Int64]) throws(CameraError) -> [String: Int64] {
        guard let name = values.keys.min() else { return [:] }
        throw CameraError(
            .unsupportedControl, device: hardware.model ?? "camera", operation: "set controls",
            reason: "'\(name)' cannot be set: this kind of camera has no controls")
    }
}

extension CameraStream {
    /// The full range, as used by cameras that deliver JPEG.
    public var sampleRange: SampleRange { .full }

    /// nil: a camera with frames.
    public var stills: (any StillSource)? { nil }

    /// nil: a camera that runs free, or one that takes its pictures when it is asked.
    public var exposures: (any ScheduledExposures)? { nil }

    /// Whether ``frames`` has any.
    public var hasFrames: Bool { stills == nil && exposures == nil }

    /// No.
    public var statesFrameValues: Bool { false }

    /// Nothing.
    public var phaseControl: PhaseControl { .fixed }

    /// Refuses: nothing moves them.
    public func shiftPhase(by shift: Duration) async throws(CameraError) -> Duration {
        throw CameraError(
            .unsupportedControl, device: hardware.model ?? "camera", operation: "shift phase",
            reason: "this kind of camera has no control that moves its exposures")
    }
}
