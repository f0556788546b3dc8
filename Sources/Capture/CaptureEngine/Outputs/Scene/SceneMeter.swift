public import PosixSupport
import TurboJPEG

/// Measures the scenes of sessions, one frame after the other, on a thread that no frame waits for.
///
/// Every session has at most one frame here, so the work that waits is bounded by the number of sessions.
public actor SceneMeter {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private nonisolated let executor: ThreadExecutor
    private var decoder: JPEGDecoder?
    private var image = LumaImage()

    /// - Parameter executor: The thread for measuring, which sessions may share.
    public init(executor: ThreadExecutor) {
        self.executor = executor
    }

    /// - Returns: nil where the picture cannot be decoded.
    func scene(of jpeg: [UInt8]) -> SceneGrid? {
        do {
            let decoder = try decoder ?? JPEGDecoder()
            self.decoder = decoder
            try decoder.decodeLuma(jpeg.span, scale: .eighth, into: &image)
            return SceneGrid(image)
        } catch {
            return nil
        }
    }
}
