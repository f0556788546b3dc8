public import CaptureModel

/// Small pictures of a session for people to watch: at most as large as asked, and never older than need be.
///
/// Pictures are scaled by whole, half, quarter or eighth sides, very large ones more than once: the result is the largest of
/// these not above the size asked for, and a picture that fits is handed on as it is. Orientation and mirroring are told
/// with each picture, as the session's connection has them; the pixels are not turned.
public final class PreviewOutput: FrameOutput {
    /// What a preview is to be.
    public struct Settings: Hashable, Sendable {
        /// The box the picture is fitted into, pixels, before orientation.
        public var maximumWidth: Int
        public var maximumHeight: Int
        public var gravity: VideoGravity
        /// JPEG quality, 1 to 100.
        public var quality: Int

        public init(
            maximumWidth: Int = 640, maximumHeight: Int = 360, gravity: VideoGravity = .aspect, quality: Int = 75
        ) {
            self.maximumWidth = maximumWidth
            self.maximumHeight = maximumHeight
            self.gravity = gravity
            self.quality = quality
        }
    }

    private let mailbox = FrameMailbox()
    private let settings: Settings
    private let scaler: FrameScaler

    /// - Parameter scaler: Shared by the outputs of a node.
    public init(settings: Settings = Settings(), scaler: FrameScaler) {
        self.settings = settings
        self.scaler = scaler
    }

    public var kind: CaptureOutputKind { .preview }
    public func offer(_ frame: OfferedFrame) { mailbox.offer(frame) }
    public func close() { mailbox.close() }

    public func next() async -> OutputFrame? {
        let box = PixelSize(width: settings.maximumWidth, height: settings.maximumHeight)
        let gravity = settings.gravity
        while await mailbox.wait() {
            let frame = await scaler.scaleNewest(of: mailbox, quality: settings.quality) { offered in
                ScalePlan(of: offered.size, into: box, gravity: gravity)
            }
            if let frame { return frame }
        }
        return nil
    }
}
