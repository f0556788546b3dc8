public import CameraKit
public import CaptureModel

/// A running V4L2 camera. Dropping it stops the camera, as ``stop()`` does, without waiting for it.
///
/// Frames are leases on the driver's own buffers, of which there are few: a consumer that keeps more than a handful makes
/// the camera's thread copy each frame, never lose one for that. Leases stay readable after the stream has ended.
///
/// Frames are packed. Where the driver pads rows or uses several memory planes, or where libv4lconvert converts them, they
/// are copies. A frame that the driver delivers empty or short is counted as lost, one that cannot be converted as torn;
/// one that it flags as erroneous is delivered with its flag.
public final class V4L2CameraStream: CameraStream {
    public let format: VideoFormat
    public let sampleRange: SampleRange
    public let hardware: CameraHardware
    public let frames: AsyncStream<CameraFrame>
    private let control: StreamControl
    /// The device as it is configured.
    let name: String
    let controlThread: ControlThread

    init(
        _ setup: V4L2Setup, name: String, frames: AsyncStream<CameraFrame>, control: StreamControl,
        controlThread: ControlThread
    ) {
        self.name = name
        self.controlThread = controlThread
        format = setup.format
        sampleRange = setup.sampleRange
        hardware = setup.hardware
        self.frames = frames
        self.control = control
    }

    deinit {
        control.requestStop()
    }

    public var losses: FrameCounters { control.losses }

    public var failure: CameraError? { control.failure }

    public func stop() async {
        control.requestStop()
        await control.waitUntilFinished()
    }
}
