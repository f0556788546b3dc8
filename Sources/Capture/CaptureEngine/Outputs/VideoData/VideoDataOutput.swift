public import TurboJPEG

/// The frames of a session as its ring has them, or each made smaller by a power of two.
///
/// A full frame shares the ring's memory and is not copied. Late frames are dropped, the newest is kept, and the next
/// frame reports the drops.
public final class VideoDataOutput: FrameOutput {
    private let mailbox = FrameMailbox()
    private let scaling: Scaling?

    private struct Scaling: Sendable {
        var scaler: FrameScaler
        var scale: DecodeScale
        var quality: Int
    }

    /// Creates an output of full frames.
    public init() {
        scaling = nil
    }

    /// Creates an output of smaller frames.
    /// - Parameters:
    ///   - scale: The divisor of the sides.
    ///   - quality: JPEG quality, 1 to 100.
    ///   - scaler: Shared by the outputs of a node.
    public init(scale: DecodeScale, quality: Int, scaler: FrameScaler) {
        scaling = Scaling(scaler: scaler, scale: scale, quality: quality)
    }

    public var kind: CaptureOutputKind { .videoData }
    public func offer(_ frame: OfferedFrame) { mailbox.offer(frame) }
    public func close() { mailbox.close() }

    public func next() async -> OutputFrame? {
        while await mailbox.wait() {
            if let frame = await newest() { return frame }
        }
        return nil
    }

    private func newest() async -> OutputFrame? {
        if let scaling {
            return await scaling.scaler.scaleNewest(of: mailbox, quality: scaling.quality) {
                ScalePlan(of: $0.size, by: scaling.scale)
            }
        }
        return mailbox.removeFrame().map { OutputFrame($0, $1) }
    }
}
