public import CaptureModel

/// A running microphone: what it agreed to deliver, its sound, and the way to stop it.
public protocol MicrophoneStream: Sendable {
    /// The format agreed with the hardware; constant for the life of the stream.
    var format: AudioFormat { get }

    /// Sound in the order in which it was taken, for one consumer. A consumer that is late loses the oldest waiting buffers:
    /// a gap in their positions, counted as `droppedByNode`. The sequence ends when the stream has stopped or the device has
    /// failed; ``failure`` then says why.
    var buffers: AsyncStream<AudioBuffer> { get }

    /// Frames, samples of every channel, lost before they reached ``buffers``: by overruns (`droppedByDevice`) and by a
    /// late consumer (`droppedByNode`), up to now.
    var losses: FrameCounters { get }

    /// Why the stream ended by itself; nil while it runs and after ``stop()``.
    var failure: CameraError? { get }

    /// Stops the hardware and closes the device; returns when it is free for others. Harmless when already stopped.
    func stop() async
}
