import CaptureModel
import Spool

/// Pictures and raw files of cameras that deliver their sensor's mosaic.
extension PendingCaptures {
    /// The picture of a frame; of a mosaic it is developed.
    /// - Returns: With it the raw file, where one was asked for.
    func picture(
        of frame: RingFrame, _ capture: PendingCapture, _ timing: FrameTiming
    ) async throws(CaptureProblem) -> (PictureFrame, rawFile: Spool.NewFile?) {
        switch frame.payload {
        case .jpeg(let bytes): return (frame.with(bytes), nil)
        case .mosaic(let raw):
            let developed = try await developed(raw, capture, timing)
            return (frame.with(developed.jpeg), developed.rawFile.map { (.alternatePhoto, $0) })
        }
    }

    private func developed(
        _ frame: RawFrame, _ capture: PendingCapture, _ timing: FrameTiming
    ) async throws(CaptureProblem) -> DevelopedFrame {
        let (order, resolved) = (capture.order, capture.resolved)
        let composer = StillComposer(device: device, hardware: session.knowledge.hardware)
        let settings = order.settings
        do throws(CaptureProblem) {
            return try await developer.develop(
                DevelopingRequest(
                    frame: frame, settings: session.setup.input.raw,
                    needsPhoto: settings.raw != .only || settings.previewSize != nil,
                    quality: settings.quality ?? session.policy.quality,
                    rawDescription: resolved.raw.map { _ in
                        composer.description(.alternatePhoto, order, resolved, timing)
                    }))
        } catch {
            throw CaptureProblem(error.code, "\(device.id): \(error.message)")
        }
    }
}
