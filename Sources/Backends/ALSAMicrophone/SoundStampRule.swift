import ALSA
import CaptureModel

/// Turns a block's stamp into the instant of its first frame on this machine's clock, with a bound.
///
/// | stamp | bound |
/// |---|---|
/// | of the driver, device tells exactly how far it has come | 1 ms |
/// | of the driver, device moves in batches | one period more |
/// | none, or not plausible: the block ended when it was read | two periods more |
///
/// A stamp is plausible when it lies at most the device's buffer and a second before the read, and at most a millisecond
/// after it: a driver that stamps by another clock, and a process in a time namespace, must not produce a wrong instant.
/// What the converter itself delays the sound by (USB: a few milliseconds) no driver tells; ``latencyOffset`` is for that.
struct SoundStampRule: Hashable, Sendable {
    let rate: Int
    let period: Duration
    let buffer: Duration
    let movesInBatches: Bool
    /// Added to every stamp; negative for a device that delivers late.
    let latencyOffset: Duration

    private static let accuracy = Duration.milliseconds(1)

    init(_ parameters: PCMParameters, latencyOffset: Duration) {
        let format = AudioFormat(sampleRate: parameters.rate, channels: parameters.channels)
        rate = parameters.rate
        period = format.duration(ofFrames: parameters.periodFrames)
        buffer = format.duration(ofFrames: parameters.bufferFrames)
        movesInBatches = parameters.movesInBatches
        self.latencyOffset = latencyOffset
    }

    /// - Parameters:
    ///   - frames: In the block.
    ///   - read: When the block was read.
    func apply(_ block: PCMBlock, frames: Int, read: LocalTime) -> (firstFrame: LocalTime, bound: Duration) {
        let length = AudioFormat(sampleRate: rate, channels: 1).duration(ofFrames: frames)
        let stamp = LocalTime(nanoseconds: block.firstFrameNanoseconds)
        let age = read - (stamp + length)
        let isPlausible = age >= .zero - Self.accuracy && age <= buffer + .seconds(1)
        guard block.hasDriverStamp, isPlausible else {
            return (read - length + latencyOffset, Self.accuracy + period * 2)
        }
        return (stamp + latencyOffset, movesInBatches ? Self.accuracy + period : Self.accuracy)
    }
}
