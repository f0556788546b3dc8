public import CaptureModel

/// A running camera: what it agreed to deliver, its frames, and the way to stop it.
public protocol CameraStream: Sendable {
    /// The format agreed with the hardware; constant for the life of the stream.
    var format: VideoFormat { get }

    /// Which numbers the samples of ``frames`` take, where they are no JPEG images; constant for the life of the stream.
    var sampleRange: SampleRange { get }

    /// What the hardware says it is, for EXIF.
    var hardware: CameraHardware { get }

    /// Frames in the order in which they were dequeued, for one consumer. A consumer that is late loses the oldest
    /// waiting frames, which are counted as `droppedByNode`. The sequence ends when the stream has stopped or the device
    /// has failed; ``failure`` then says why.
    var frames: AsyncStream<CameraFrame> { get }

    /// Frames lost before they reached ``frames``, by cause, up to now. `delivered` and `stalls` stay 0 here: they are
    /// the session's to judge. `torn` are those that could not be converted to ``format``.
    var losses: FrameCounters { get }

    /// Why the stream ended by itself; nil while it runs and after ``stop()``.
    var failure: CameraError? { get }

    /// The device's controls as they stand, each with its value.
    ///
    /// A slow device is asked on a thread of its own, never on that of the frames.
    /// - Throws: ``CameraError``; also when the stream has ended.
    func controls() async throws(CameraError) -> [DeviceControl]

    /// Sets controls by name, all or none.
    /// - Parameter values: In the units that ``controls()`` states; for a button any value.
    /// - Returns: What each has afterwards, read back, which may be rounded by the device; what cannot be read, such as a
    ///   button, is left out.
    /// - Throws: ``CameraError`` of code `unsupportedControl` for a name that is unknown, a control that cannot be set or
    ///   has no effect as others stand, and a value out of range. Everything is as it was then; where that could not be
    ///   restored, the reason says what is not.
    func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64]

    /// Stops streaming and closes the device; returns when it is free for others. Harmless when already stopped.
    func stop() async
}

extension CameraStream {
    /// None: a camera without controls.
    public func controls() async throws(CameraError) -> [DeviceControl] { [] }

    /// Refuses everything: a camera without controls.
    public func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64] {
        guard let name = values.keys.min() else { return [:] }
        throw CameraError(
            .unsupportedControl, device: hardware.model ?? "camera", operation: "set controls",
            reason: "'\(name)' cannot be set: this make of camera has no controls")
    }
}

/// What a camera says of itself once it is open.
public struct CameraHardware: Hashable, Codable, Sendable {
    public var make: String?
    public var model: String?
    public var serial: String?
    /// Where it is attached, such as `usb-0000:00:14.0-1`.
    public var busInformation: String?

    public init(make: String? = nil, model: String? = nil, serial: String? = nil, busInformation: String? = nil) {
        self.make = make
        self.model = model
        self.serial = serial
        self.busInformation = busInformation
    }
}
