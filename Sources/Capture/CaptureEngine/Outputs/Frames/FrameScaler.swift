import CaptureModel
public import PosixSupport
import Synchronization
import TurboJPEG

/// Scales the pictures of all outputs of a node, one after the other, on a thread of its own, so that no camera waits
/// for a preview.
///
/// Every output has at most one request here, and picks its newest frame when its turn comes: the work that waits is
/// bounded by the number of outputs, and with too many of them each gets fewer frames, none an older one.
public actor FrameScaler {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private nonisolated let executor: ThreadExecutor
    private nonisolated let made = Atomic<UInt64>(0)
    private var scaler: JPEGScaler?

    /// - Parameter executor: The thread for scaling; nothing else should run there.
    public init(executor: ThreadExecutor) {
        self.executor = executor
    }

    /// Pictures scaled so far.
    public nonisolated var scaledCount: UInt64 { made.load(ordering: .relaxed) }

    /// Takes the newest frame of a mailbox and scales it; a picture that needs no scaling is handed on as it is.
    /// - Returns: nil where none waits, or its picture cannot be decoded, which the mailbox counts.
    func scaleNewest(of mailbox: FrameMailbox, quality: Int, plan: @Sendable (OfferedFrame) -> ScalePlan)
        -> OutputFrame?
    {
        guard let (offered, drops) = mailbox.take() else { return nil }
        let plan = plan(offered)
        if plan.size == offered.size { return OutputFrame(offered, drops) }
        do {
            return try scaled(offered, drops, quality, plan)
        } catch {
            var drops = drops
            drops.undecodable &+= 1
            mailbox.giveBack(drops)
            return nil
        }
    }

    private func scaled(
        _ offered: OfferedFrame, _ drops: OutputDrops, _ quality: Int, _ plan: ScalePlan
    ) throws(TurboJPEGError) -> OutputFrame {
        var output = OutputFrame(offered, drops)
        output.frame.payload = try preparedScaler().apply(plan, to: offered.frame.jpeg, quality: quality)
        (output.width, output.height) = (plan.size.width, plan.size.height)
        made.add(1, ordering: .relaxed)
        return output
    }

    /// The codec is made when the first picture comes, and kept.
    private func preparedScaler() throws(TurboJPEGError) -> JPEGScaler {
        if let scaler { return scaler }
        let made = try JPEGScaler()
        scaler = made
        return made
    }
}
