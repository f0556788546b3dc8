import CaptureModel
import FaultPoints
import Recording
import Spool

/// Firing: the frames of a capture become its files, or the start of its movie.
extension PendingCaptures {
    func fire(_ key: CaptureKey) async -> CaptureResult {
        guard let capture = list.fire(key) else {
            let expired = RigProblem(.expired, "\(device.id): no frames are pinned for this shot")
            return .missed(key, list.problem(of: key) ?? expired)
        }
        do throws(RigProblem) {
            if capture.order.settings.movie != nil { return .captured(try await startRecording(capture)) }
            await note(key, .fired)
            return .captured(try await makePhoto(capture))
        } catch {
            let problem = await withGap(error, key)
            await close(key, with: problem)
            return .missed(key, problem)
        }
    }

    /// Adds to the problem of a missing still the time that it has cost the stream.
    private func withGap(_ problem: RigProblem, _ key: CaptureKey) async -> RigProblem {
        guard let gap = await gap(of: key) else { return problem }
        let cost =
            gap.nanoseconds.map { "was interrupted for \(Duration.nanoseconds($0).text)" } ?? "has not returned yet"
        return RigProblem(problem.code, "\(problem.message); its stream \(cost)")
    }

    private func makePhoto(_ capture: PendingCapture) async throws(RigProblem) -> CaptureReport {
        let key = capture.order.key
        let report = try await make(capture)
        if let clip = capture.clip, report.owed.contains(.pairedVideo) {
            guard let present = list[key] else { return report }
            // The frames around T that only the choice needed may be released.
            session.pin(key, window: clip.window)
            livePhotos.finishClip(present, clip, report)
            _ = await remove(key)
            await livePhotos.begin(key)
        } else {
            await close(key, with: nil)
        }
        return report
    }

    /// Waits for the first frame at or after T, records durably that a movie is owed, and begins it.
    private func startRecording(_ capture: PendingCapture) async throws(RigProblem) -> CaptureReport {
        let (order, key) = (capture.order, capture.order.key)
        let first = try await firstMovieFrame(of: order)
        let timing = try timing(of: first, order: order)
        list.choose(key)
        let report = try await session.spool.attempt { (spool) async throws(SpoolError) in
            try await spool.store(
                key, resolved: capture.resolved, timing: timing, files: [], owed: AssetKind.ofMovie)
        }
        await MovieFault.owed.reached()
        if let present = list.handOver(key) {
            await movies.begin(present, from: first)
        } else {
            _ = await session.spool.giveUpMovie(of: key, session.shuttingDown)
        }
        await session.tell([.recording(key, .didStartRecording(timing))])
        return report
    }

    // MARK: Files

    private typealias Picture = (frame: PictureFrame, timing: FrameTiming)

    private func make(_ capture: PendingCapture) async throws(RigProblem) -> CaptureReport {
        if let source = session.stills { return try await takePicture(capture, by: source) }
        let key = capture.order.key
        let exposed: [ExposedFrame]
        if let picture = capture.picture {
            exposed = [try await exposedFrame(of: picture, capture.order)]
        } else {
            exposed = try await expose(capture)
        }
        guard var timing = exposed.first?.timing else {
            throw RigProblem(.noFrameNearTime, "\(device.id): the capture has no picture")
        }
        // The capture knows its settings if each of its pictures does.
        if let unknown = exposed.map(\.timing.settings).first(where: \.isUndecided) { timing.settings = unknown }
        list.choose(key)
        await note(key, .frameChosen(timing))
        await SessionFault.chosen.reached()
        var (pictures, files): ([Picture], [Spool.NewFile]) = ([], [])
        for one in exposed {
            let (picture, rawFile) = try await picture(of: one.frame, capture, one.timing)
            pictures.append((picture, one.timing))
            if let rawFile { files.append(rawFile) }
        }
        let small = try await preview(of: pictures[0].frame, capture, timing)
        let stored = try stills(of: pictures, capture) + files + small
        let (owed, gap) = (owed(by: capture), await gap(of: key))
        let report = try await session.spool.attempt { (spool) async throws(SpoolError) in
            try await spool.store(
                key, resolved: capture.resolved, timing: timing, files: stored, shortfalls: shortfalls(of: exposed),
                owed: owed, streamGap: gap, reservation: capture.reservation)
        }
        for file in report.files { await note(key, .fileStored(file)) }
        if capture.resolved.codec == .heic { session.services.deferred?.enqueue(key) }
        return report
    }

    private func stills(of pictures: [Picture], _ capture: PendingCapture) throws(RigProblem) -> [Spool.NewFile] {
        guard capture.order.settings.raw != .only else { return [] }
        let composer = StillComposer(device: device, hardware: session.knowledge.hardware)
        return try zip(AssetKind.stills, pictures).map { (kind, picture) throws(RigProblem) in
            let still = try composer.compose(
                picture.frame, as: kind, order: capture.order, resolved: capture.resolved, timing: picture.timing)
            return (kind, [still])
        }
    }

    /// Returns what is wrong with the pictures whose image data is not whole.
    private func shortfalls(of exposed: [ExposedFrame]) -> [AssetKind: RigProblem] {
        zip(AssetKind.stills, exposed).reduce(into: [:]) { shortfalls, picture in
            shortfalls[picture.0] = picture.1.frame.damage.map(damaged)
        }
    }

    /// Returns what is wrong with a picture whose image data is not whole.
    func damaged(_ damage: String) -> RigProblem {
        RigProblem(
            .corrupted,
            "\(device.id): the picture is damaged, and no whole one was near enough: \(damage) Check the camera's cable and hub"
        )
    }

    /// Returns the files of a capture that are made after it was stored.
    func owed(by capture: PendingCapture) -> [AssetKind] {
        (capture.resolved.codec == .heic ? [.photoHEIC] : [])
            + (capture.clip == nil ? [] : capture.resolved.livePhoto?.kinds ?? [])
    }

    /// Makes and reports the preview, if one was requested.
    func preview(
        of frame: PictureFrame, _ capture: PendingCapture, _ timing: FrameTiming
    ) async throws(RigProblem) -> [Spool.NewFile] {
        let (order, resolved) = (capture.order, capture.resolved)
        guard let limit = order.settings.previewSize, let size = resolved.preview else { return [] }
        let composer = StillComposer(device: device, hardware: session.knowledge.hardware)
        let jpeg = try composer.preview(frame, limit: limit, order: order, resolved: resolved, timing: timing)
        let latency = try session.rigTime(at: session.clock.now()).time - order.time
        await note(
            order.key, .previewMade(PreviewPhoto(jpeg: jpeg, size: size, latencyNanoseconds: latency.nanoseconds)))
        return [(.preview, [jpeg])]
    }
}

extension FrameSettings? {
    /// Whether it is not known which settings the frame has.
    fileprivate var isUndecided: Bool { if case .changing = self { true } else { false } }
}
