public import CaptureModel

/// A running camera: what it agreed to deliver, its frames, and the way to stop it.
public protocol CameraStream: Sendable {
    /// The format agreed with the hardware; constant for the life of the stream.
    var format: VideoFormat { get }

    /// What the hardware says it is, for EXIF.
    var hardware: CameraHardware { get }

    /// Frames in the order in which they were dequeued, for one consumer. A consumer that is late loses the oldest
    /// waiting frames, which are counted as `droppedByNode`. The sequence ends when the stream has stopped or the device
    /// has failed; ``failure`` then says why.
    var frames: AsyncStream<CameraFrame> { get }

    /// Frames lost before they reached ``frames``, by cause, up to now. `delivered`, `torn` and `stalls` stay 0 here:
    /// they are the session's to judge.
    var losses: FrameCounters { get }

    /// Why the stream ended by itself; nil while it runs and after ``stop()``.
    var failure: CameraError? { get }

    /// Stops streaming and closes the device; returns when it is free for others. Harmless when already stopped.
    func stop() async
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
