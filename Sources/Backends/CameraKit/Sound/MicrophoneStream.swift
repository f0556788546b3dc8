public import CaptureModel

/// A running microphone: its agreed format, its sound, and the way to stop it.
public protocol MicrophoneStream: Sendable {
    /// The format agreed with the hardware. Constant for the lifetime of the stream.
    var format: AudioFormat { get }

    /// Sound in the order in which it was recorded, for one consumer. A late consumer loses the oldest waiting buffers:
    /// a gap in their positions, counted as `droppedByNode`. The sequence ends when the stream has stopped or the
    /// device has failed; ``failure`` then has the reason.
    var buffers: AsyncStream<AudioBuffer> { get }

    /// Frames (samples of every channel) lost so far before they reached ``buffers``: by overruns (`droppedByDevice`)
    /// and by a late consumer (`droppedByNode`).
    var losses: FrameCounters { get }

    /// Why the stream ended on its own; nil while it runs and after ``stop()``.
    var failure: CameraError? { get }

    /// Stops the hardware and closes the device. Returns when it is free for others. Does nothing if already stopped.
    func stop() async
}
