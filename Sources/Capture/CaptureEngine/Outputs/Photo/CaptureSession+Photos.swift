public import CaptureModel

/// Photos, and what they share with Live Photos and movies: arming, firing, giving up.
extension CaptureSession {
    /// Pins the frames around T and answers for them.
    ///
    /// Armed means: streaming, the last good frame younger than two periods (for which it waits, half a second at most), T
    /// within the ring's reach and the longest lead, space for the still reserved in the spool, and the frames of the window
    /// pinned until the capture is fired, cancelled or expires. A repeat of the same order gives the same answer.
    /// - Returns: What the capture will be, or why there can be none.
    public func arm(_ order: CaptureOrder) async -> Result<ResolvedPhotoSettings, CaptureProblem> {
        await captures.arm(order, telling: nil)
    }

    /// Chooses the frame of T of an armed capture and makes its files durable.
    ///
    /// Returns when the capture has its outcome, at the latest two periods after T and the time the disk takes. What
    /// makes a choice final is told at `FrameChooser`. A clip is owed then, and comes by ``SessionEvent/captureGrew(_:)``.
    @discardableResult
    public func fire(_ key: CaptureKey) async -> CaptureResult {
        await captures.fire(key)
    }

    /// Takes one photo: arms it and, once it is armed, fires it.
    /// - Returns: The capture's life cycle. It goes on to its end whether it is read or not.
    /// - Throws: ``CaptureProblem`` where nothing was begun: why there can be no capture; `conflict` where the order's
    ///   capture is under way already.
    public func capturePhoto(_ order: CaptureOrder) async throws(CaptureProblem) -> CaptureEvents {
        let events = CaptureEvents(id: order.key)
        _ = try await captures.arm(order, telling: events.teller).get()
        // Unstructured, because the capture outlives the call that begins it; it ends with its life cycle.
        Task { await fire(order.key) }
        return events
    }

    /// Gives the frames of a capture back; harmless where none is armed, and without effect once it is fired.
    public func cancel(_ key: CaptureKey) async {
        await captures.cancel(key)
    }

    /// Gives up the captures of which nothing is being made yet, so that none of them comes to have a file.
    /// - Returns: Which they are, in order.
    public func giveUpUnmade(with problem: CaptureProblem) async -> [CaptureKey] {
        await captures.giveUpUnmade(with: problem)
    }

    /// Bytes of the spool that its next photo needs; nil while the session does not run.
    public var roomForPhoto: Int64? { core.isRunning && ring.newest != nil ? captures.photoByteCount : nil }

    /// How far ahead T has to lie for what the settings ask of the camera.
    /// - Throws: Why it cannot do what they ask.
    func lead(for settings: PhotoSettings) async throws(CaptureProblem) -> Duration {
        try await captures.lead(for: settings)
    }
}
