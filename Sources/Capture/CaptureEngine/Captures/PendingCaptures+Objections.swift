import CaptureModel
import Spool

/// Whether a capture would be accepted, without arming it.
extension PendingCaptures {
    /// Returns why settings would be refused at present; nil if they would be accepted. Changes nothing.
    func objection(to settings: PhotoSettings) async -> RigProblem? {
        do throws(RigProblem) {
            try checkIsEnabled()
            try checkTaking(settings)
            try checkCamera(settings)
            try checkIsRunning()
            if let movie = settings.movie {
                try movies.check(movie, isArmed: list.isMovieArmed)
            } else {
                try await checkPhoto(settings)
            }
            return nil
        } catch {
            return error
        }
    }

    private func checkPhoto(_ settings: PhotoSettings) async throws(RigProblem) {
        var resolved = try resolveStream()
        _ = try await resolvePictures(settings, &resolved)
        resolved.bracketCount = settings.bracket?.count
        try await checkPlan(settings, resolved)
        let silence = settings.livePhoto == nil ? nil : await session.services.silence()
        try livePhotos.check(settings, resolved, silence, capturesUnderWay: list.count())
        if let shortage = shortage(frameByteCount(of: resolved)) {
            throw RigProblem(.noMemory, "\(device.id): \(shortage)")
        }
        if let shortage = session.spool.lastUsage?.shortage(of: photoByteCount) {
            throw RigProblem(.noSpace, "\(device.id): \(shortage)")
        }
    }

    /// Checks for controls that flash and bracket need. Reads them only.
    private func checkPlan(_ settings: PhotoSettings, _ resolved: ResolvedPhotoSettings) async throws(RigProblem) {
        guard settings.needsPreparation else { return }
        guard controls.areAsFound else { throw controls.notPutBack }
        _ = try CapturePlan(
            settings, isLit: true, interval: resolved.interval ?? session.interval,
            controls: try await controls.present())
    }
}
