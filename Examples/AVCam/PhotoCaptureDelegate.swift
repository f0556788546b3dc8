import CaptureEngine
import CaptureModel
import PosixSupport

/// Tells each step of a capture's life and saves its files, as AVCam's `PhotoCaptureProcessor` does. One for each capture.
struct PhotoCaptureDelegate: Sendable {
    /// Begins every line, since captures overlap.
    let name: String
    let model: CameraModel
    /// Whether its Live Photo counts as in progress, which ends with the movie, or with the capture where there is no movie.
    private let isLive = Locked(false)

    init(name: String, model: CameraModel) {
        (self.name, self.model) = (name, model)
    }

    /// Returns after the last step.
    /// - Throws: What kept the capture from being whole; what was made of it is saved.
    func follow(_ events: CaptureEvents) async throws {
        for await event in events { try await take(event) }
    }

    func take(_ event: CaptureEvent) async throws {
        switch event.step {
        case .willBeginCapture(let resolved): await willBegin(resolved)
        case .willCapturePhoto: note("willCapturePhoto")
        case .didCapturePhoto(let timing): note("didCapturePhoto frame \(timing.sequence)")
        case .previewAvailable(let preview): note("previewAvailable \(preview.size)")
        case .didFinishProcessingPhoto(let file):
            let path = try await model.library.save(file, of: event.id)
            note("didFinishProcessingPhoto \(file.kind.rawValue) \(path)")
        case .didFinishRecordingLivePhotoMovie: await didFinishRecording()
        case .didFinishProcessingLivePhotoMovie(let movie): try await didFinishProcessing(movie, of: event.id)
        case .didFinishCapture(let problem):
            note("didFinishCapture" + (problem.map { ": \($0)" } ?? ""))
            if isLive.withLock({ $0 }) { await tellLiveCount(isLive: false) }
            try await model.library.forgetFailures(of: event.id)
            if let problem { throw problem }
        }
    }

    private func willBegin(_ resolved: ResolvedPhotoSettings) async {
        let movie = resolved.livePhoto.map { ", movie \($0.dimensions)" } ?? ""
        let raw = resolved.raw.map { ", raw of \($0.bits) bits" } ?? ""
        note("willBeginCapture \(resolved.width)x\(resolved.height)\(movie)\(raw)")
        if let reason = resolved.livePhotoNote { note("note: \(reason)") }
        if resolved.livePhoto != nil { await tellLiveCount(isLive: true) }
    }

    private func didFinishRecording() async {
        note("didFinishRecordingLivePhotoMovie")
        await tellLiveCount(isLive: false)
    }

    private func didFinishProcessing(_ movie: LivePhotoMovieFile, of capture: CaptureKey) async throws {
        let path = try await model.library.save(movie.file, of: capture)
        let (length, display) = (movie.durationNanoseconds / 1_000_000, movie.photoDisplayNanoseconds / 1_000_000)
        note("didFinishProcessingLivePhotoMovie \(length) ms, the photo at \(display) ms, \(path)")
    }

    /// How many Live Photos are in progress: AVCam shows LIVE while there are any.
    private func tellLiveCount(isLive: Bool) async {
        self.isLive.withLock { $0 = isLive }
        note("LIVE \(await model.session.condition.session?.livePhotosInProgress ?? 0)")
    }

    private func note(_ line: String) { tell("\(name): \(line)") }
}
