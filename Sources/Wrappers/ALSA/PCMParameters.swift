import CALSA

/// What was agreed with a capture device. Samples are signed, 16 bits, interleaved.
public struct PCMParameters: Hashable, Sendable {
    /// Frames a second, by the device's own clock; at least 1.
    public var rate: Int
    /// At least 1.
    public var channels: Int
    /// Frames after which a reader is woken.
    public var periodFrames: Int
    /// Frames the device holds before it overruns.
    public var bufferFrames: Int
    /// Whether the device tells only by whole periods or packets how far it has come (`SNDRV_PCM_INFO_BATCH`), so that
    /// its stamps may be late by one.
    public var movesInBatches: Bool

    public init(rate: Int, channels: Int, periodFrames: Int, bufferFrames: Int, movesInBatches: Bool) {
        self.rate = rate
        self.channels = channels
        self.periodFrames = periodFrames
        self.bufferFrames = bufferFrames
        self.movesInBatches = movesInBatches
    }

    init(_ parameters: calsa_parameters) {
        self.init(
            rate: Int(parameters.rate), channels: Int(parameters.channels), periodFrames: Int(parameters.period_frames),
            bufferFrames: Int(parameters.buffer_frames), movesInBatches: parameters.moves_in_batches)
    }
}
