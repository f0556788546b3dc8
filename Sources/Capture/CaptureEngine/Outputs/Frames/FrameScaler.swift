public import CaptureModel
public import PosixSupport
import Synchronization
import TurboJPEG

/// Scales the pictures of all outputs of a node, one after the other, on a separate thread, so that no camera waits for
/// a preview.
///
/// Every output has at most one request here, and provides its newest frame when its turn comes. The waiting work is
/// bounded by the number of outputs. With too many of them, each gets fewer frames, but never an older one.
public actor FrameScaler {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private nonisolated let executor: ThreadExecutor
    private nonisolated let made = Atomic<UInt64>(0)
    private var scaler: JPEGScaler?
    private var stretcher: PictureStretcher?

    /// - Parameter executor: The thread for scaling. Nothing else should run there.
    public init(executor: ThreadExecutor) {
        self.executor = executor
    }

    /// The number of pictures scaled so far.
    public nonisolated var scaledCount: UInt64 { made.load(ordering: .relaxed) }

    /// Removes the newest frame of a mailbox and scales it. A picture that needs no scaling is passed on unchanged.
    /// - Returns: nil if none waits, or if its picture cannot be decoded, which the mailbox counts.
    func scaleNewest(of mailbox: FrameMailbox, quality: Int, plan: @Sendable (OfferedFrame) -> ScalePlan)
        -> OutputFrame?
    {
        guard let (offered, drops) = mailbox.removeFrame() else { return nil }
        let plan = plan(offered)
        if plan.size == offered.size { return OutputFrame(offered, drops) }
        do {
            return try scaled(offered, drops, quality, plan)
        } catch {
            var drops = drops
            drops.undecodable &+= 1
            mailbox.restore(drops)
            return nil
        }
    }

    private func scaled(
        _ offered: OfferedFrame, _ drops: OutputDrops, _ quality: Int, _ plan: ScalePlan
    ) throws -> OutputFrame {
        var output = OutputFrame(offered, drops)
        let jpeg = offered.frame.jpeg
        output.frame.payload =
            plan.isStretched
            ? try preparedStretcher().stretch(jpeg, as: plan, quality: quality)
            : try preparedScaler().apply(plan, to: jpeg, quality: quality)
        (output.width, output.height) = (plan.size.width, plan.size.height)
        made.add(1, ordering: .relaxed)
        return output
    }

    private func preparedStretcher() throws(TurboJPEGError) -> PictureStretcher {
        if let stretcher { return stretcher }
        let made = try PictureStretcher()
        stretcher = made
        return made
    }

    /// Returns the codec, which is created with the first picture and kept.
    private func preparedScaler() throws(TurboJPEGError) -> JPEGScaler {
        if let scaler { return scaler }
        let made = try JPEGScaler()
        scaler = made
        return made
    }
}

/// Offers the frames of a session to the outputs attached to its ``SessionOutputs``: previews and frames for programs.
final class AttachedOutputs: CaptureOutput {
    private unowned let session: any SessionAccess
    private let attached: SessionOutputs

    init(_ session: any SessionAccess, _ attached: SessionOutputs) {
        self.session = session
        self.attached = attached
    }

    func receive(_ frame: RingFrame, from stream: OpenStream) {
        guard stream.purpose == .session, !attached.isEmpty else { return }
        // A raw mosaic has no viewable picture.
        guard let picture = frame.picture else { return }
        let setup = session.setup
        let device = setup.device
        let offered = OfferedFrame(
            frame: picture, format: stream.format, orientation: device.orientation,
            isMirrored: device.mirrored ?? false)
        attached.offer(offered) { setup.isEnabled($0) }
    }
}

/// A frame as a session offers it to its outputs.
public struct OfferedFrame: Sendable {
    public var frame: PictureFrame
    /// The format of the camera's stream. Its width and height are those of the frame.
    public var format: VideoFormat
    /// The rotation that makes the picture upright, and whether left and right are exchanged after it, as set in the
    /// session's connections. They are metadata; the pixels stay unchanged.
    public var orientation: Orientation
    public var isMirrored: Bool

    public init(frame: PictureFrame, format: VideoFormat, orientation: Orientation, isMirrored: Bool) {
        self.frame = frame
        self.format = format
        self.orientation = orientation
        self.isMirrored = isMirrored
    }

    var size: PixelSize { PixelSize(width: format.width, height: format.height) }
}

/// A frame as an output delivers it.
public struct OutputFrame: Sendable {
    /// The stamps of the camera's frame, and the picture of this output.
    public var frame: PictureFrame
    /// Pixels of the picture, before orientation.
    public var width: Int
    public var height: Int
    /// How the picture must be displayed to look like the photo: rotated clockwise, then mirrored.
    public var orientation: Orientation
    public var isMirrored: Bool
    /// Frames that this output did not deliver after the previous one.
    public var drops: OutputDrops
}

extension OutputFrame {
    /// Creates a frame that is passed on unchanged.
    init(_ offered: OfferedFrame, _ drops: OutputDrops) {
        self.init(
            frame: offered.frame, width: offered.format.width, height: offered.format.height,
            orientation: offered.orientation, isMirrored: offered.isMirrored, drops: drops)
    }
}

/// The outputs attached to one session. Without any, a frame costs the session one check of a flag.
public final class SessionOutputs: Sendable {
    private let attached = Locked<[any FrameOutput]>([])
    /// Whether there are any. A frame that arrives while this changes may or may not be offered.
    private let isAnyAttached = Atomic<Bool>(false)

    public init() {}

    /// Offers the session's frames to an output from here on. Does nothing if it is already attached.
    public func attach(_ output: any FrameOutput) {
        change { outputs in
            if !outputs.contains(where: { $0 === output }) { outputs.append(output) }
        }
    }

    /// Ends the offers to an output. Does nothing if it is not attached.
    public func detach(_ output: any FrameOutput) {
        change { outputs in outputs.removeAll { $0 === output } }
    }

    /// The number of outputs.
    public var count: Int { attached.withLock(\.count) }

    /// Whether there are none; one check of a flag.
    var isEmpty: Bool { !isAnyAttached.load(ordering: .acquiring) }

    /// Offers a good frame to every connected output. Called on the session's thread; does not wait.
    func offer(_ frame: OfferedFrame, where isConnected: (CaptureOutputKind) -> Bool) {
        for output in attached.withLock(\.self) where isConnected(output.kind) { output.offer(frame) }
    }

    private func change(_ body: (inout [any FrameOutput]) -> Void) {
        attached.withLock { outputs in
            body(&outputs)
            isAnyAttached.store(!outputs.isEmpty, ordering: .releasing)
        }
    }
}
