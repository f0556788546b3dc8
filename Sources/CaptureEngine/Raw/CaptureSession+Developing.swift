import CaptureModel
import PosixSupport
import Spool

/// Pictures and raw files of cameras that deliver their sensor's mosaic.
extension CaptureSession {
    /// Gives the frames that are a mosaic a picture; others stay as they are.
    /// - Returns: The raw file, where one was asked for.
    func develop(
        _ frames: inout [(frame: RingFrame, timing: FrameTiming)], _ capture: PendingCapture
    ) async throws(CaptureProblem) -> [Spool.NewFile] {
        var files: [Spool.NewFile] = []
        for index in frames.indices {
            guard let raw = frames[index].frame.raw else { continue }
            let developed = try await developed(raw, capture, frames[index].timing)
            frames[index].frame.jpeg = developed.jpeg
            if !developed.rawFile.isEmpty { files.append((.alternatePhoto, developed.rawFile)) }
        }
        return files
    }

    private func developed(
        _ frame: RawFrame, _ capture: PendingCapture, _ timing: FrameTiming
    ) async throws(CaptureProblem) -> DevelopedFrame {
        let (order, resolved) = (capture.order, capture.resolved)
        let composer = StillComposer(device: device, hardware: hardware)
        let settings = order.settings
        do throws(CaptureProblem) {
            return try await developer.develop(
                DevelopingRequest(
                    frame: frame, settings: rawSettings,
                    needsPhoto: settings.raw != .only || settings.previewSize != nil,
                    quality: settings.quality ?? policy.quality,
                    rawDescription: resolved.raw.map { _ in
                        composer.description(.alternatePhoto, order, resolved, timing)
                    }))
        } catch {
            throw CaptureProblem(error.code, "\(device.id): \(error.message)")
        }
    }

    /// What is made of the mosaic of the session's camera.
    var rawSettings: RawSettings { setup.withLock { $0.input.raw } }
}
