public import CaptureModel
import TurboJPEG

/// Takes photos from a running session, after AVFoundation's `AVCapturePhotoOutput`.
///
/// A photo's files are in the session's spool when `didFinishProcessingPhoto` is sent. Usable from any thread.
public struct PhotoOutput: Sendable {
    private let session: CaptureSession
    private let utcOffsetMinutes: Int

    /// - Parameter utcOffsetMinutes: Minutes of local time ahead of UTC, for the dates in EXIF.
    public init(session: CaptureSession, utcOffsetMinutes: Int = 0) {
        self.session = session
        self.utcOffsetMinutes = utcOffsetMinutes
    }

    /// Takes one photo. Each call is a capture with a separate id, which every event carries. Captures may overlap.
    /// - Parameters:
    ///   - settings: The settings of the photo.
    ///   - instant: T on this machine's clock, in the past as far as the ring reaches. nil means the present, or as
    ///     soon as the camera can be set for flash or bracket, or leave its stream for a larger still.
    /// - Returns: The capture's life cycle. Its first event is available.
    /// - Throws: ``RigProblem`` if nothing was begun: the camera is not ready, or it does not support the settings.
    public func capturePhoto(
        with settings: PhotoSettings = PhotoSettings(), at instant: LocalTime? = nil
    ) async throws(RigProblem) -> CaptureEvents {
        var time = instant ?? session.clock.now()
        if instant == nil { time = time + (try await session.lead(for: settings)) }
        return try await session.capturePhoto(session.order(settings, at: time, utcOffsetMinutes: utcOffsetMinutes))
    }
}

/// Queries before a photo.
extension PhotoOutput {
    /// Returns why a photo with these settings would be refused at present, with the level that is missing (supported,
    /// enabled, requested); nil if it would be accepted. Changes nothing, and reserves nothing.
    ///
    /// It answers for every T within the ring's reach and the longest lead. A photo that follows may still be refused:
    /// the camera may have been unplugged, or another capture may have taken it.
    public func objection(to settings: PhotoSettings) async -> RigProblem? {
        await session.objection(to: settings)
    }

    public func canCapturePhoto(with settings: PhotoSettings) async -> Bool { await objection(to: settings) == nil }
}

/// Photos, and what they share with Live Photos and movies: arming, firing, giving up.
extension CaptureSession {
    /// Pins the frames around T and reserves all that the capture needs.
    ///
    /// Armed means: the camera is streaming; a good frame has come within two periods (the call waits for one,
    /// half a second at most); T is within the ring's reach and the longest lead; space for the still is reserved in
    /// the spool; and the frames of the window are pinned until the capture is fired, is cancelled or expires. A repeat
    /// of the same order gets the same answer.
    /// - Returns: The resolved settings, or why the capture is not possible.
    public func arm(_ order: CaptureOrder) async -> Result<ResolvedPhotoSettings, RigProblem> {
        await captures.arm(order, telling: nil)
    }

    /// Chooses the frame of T of an armed capture and makes its files durable.
    ///
    /// Returns when the capture has its outcome, at the latest at ``FrameChooser/deadline`` and the time that the disk takes.
    /// `FrameChooser` defines when a choice is final. A clip is owed then, and ``SessionEvent/captureGrew(_:)`` reports
    /// it.
    @discardableResult
    public func fire(_ key: CaptureKey) async -> CaptureResult {
        await captures.fire(key)
    }

    /// Takes one photo: arms it and, when it is armed, fires it.
    /// - Returns: The capture's life cycle. The capture continues to its end whether it is read or not.
    /// - Throws: ``RigProblem`` if nothing was begun: why the capture is not possible; `conflict` if the order's
    ///   capture is already in progress.
    public func capturePhoto(_ order: CaptureOrder) async throws(RigProblem) -> CaptureEvents {
        let events = CaptureEvents(id: order.key)
        _ = try await captures.arm(order, telling: events.sender).get()
        // Unstructured, because the capture outlives the call that begins it. The task ends with the capture's life
        // cycle.
        Task { await fire(order.key) }
        return events
    }

    /// Releases the frames of a capture. Does nothing if none is armed, or after it is fired.
    public func cancel(_ key: CaptureKey) async {
        await captures.cancel(key)
    }

    /// Gives up the captures whose files are not being made yet, so that none of them gets a file.
    /// - Returns: Their keys, in order.
    public func giveUpUnmade(with problem: RigProblem) async -> [CaptureKey] {
        await captures.giveUpUnmade(with: problem)
    }

    /// Bytes of the spool that the next photo needs; nil if the session does not run.
    public var roomForPhoto: Int64? {
        core.isRunning && (ring.newest != nil || !core.hasFrames) ? captures.photoByteCount : nil
    }

    func objection(to settings: PhotoSettings) async -> RigProblem? { await captures.objection(to: settings) }

    /// Returns how far ahead T must be for the settings.
    /// - Throws: Why the camera cannot do it.
    func lead(for settings: PhotoSettings) async throws(RigProblem) -> Duration {
        try await captures.lead(for: settings)
    }
}

/// Measures how bright a frame is, for flash `auto`.
enum LumaMeter {
    /// A frame with a lower mean luma, of 0 to 255, is dark: about two stops below middle gray (118 in sRGB).
    static let darkness = 64

    /// Returns the mean luma of a frame, 0 black to 255 white; nil if its image data cannot be decoded.
    static func meanLuma(of jpeg: [UInt8]) -> Int? {
        var image = LumaImage()
        do {
            try JPEGDecoder().decodeLuma(jpeg.span, scale: .eighth, into: &image)
        } catch {
            return nil
        }
        guard !image.bytes.isEmpty else { return nil }
        return image.bytes.reduce(0) { $0 + Int($1) } / image.bytes.count
    }
}

/// A small picture of a photo, available before the photo is durable.
public struct PreviewPhoto: Hashable, Sendable {
    /// A complete JPEG with the still's metadata.
    public var jpeg: [UInt8]
    public var size: PixelSize
    /// Time from T until the preview was made, nanoseconds of rig time. If T was in the past when the capture was
    /// fired, that time is included.
    public var latencyNanoseconds: Int64

    public init(jpeg: [UInt8], size: PixelSize, latencyNanoseconds: Int64) {
        self.jpeg = jpeg
        self.size = size
        self.latencyNanoseconds = latencyNanoseconds
    }
}
