public import CaptureModel

/// Small pictures of a session for people to watch: at most as large as requested, and as recent as possible.
///
/// Pictures are scaled to full, half, quarter or eighth sides, very large ones more than once. The result is the
/// largest of these not above the requested size; a picture that fits is passed on unchanged. Orientation and mirroring
/// accompany each picture, as set in the session's connection; the pixels are not rotated.
public final class PreviewOutput: FrameOutput {
    /// The settings of a preview.
    public struct Settings: Hashable, Sendable {
        /// The box into which the picture is fitted, in pixels, before orientation.
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
