import CameraKit
import CaptureModel
import CaptureTestSupport
import PosixSupport

@testable import CaptureEngine
@testable import VirtualDevices

/// A virtual camera that shows what it and its session are at, so that a test moves the clock only when both have done
/// all there is to do at the present instant.
final class TappedCamera: Camera {
    fileprivate struct Activity: Sendable {
        var isOpen = false
        /// When the camera delivers its next frame.
        var planned = LocalTime(nanoseconds: .min)
        /// How many times the session has asked this stream for a frame; each time it has dealt with all before.
        var asked: UInt64 = 0
        /// The stream that all this is of, and how many there have been with it.
        var stream: VirtualCameraStream?
        var number = 0
    }

    /// What has passed between camera and session.
    fileprivate struct Log: Sendable {
        /// Every frame that was handed on, as it was taken.
        var frames: [FrameFacts] = []
        /// Every request to set controls.
        var sets: [[String: Int64]] = []
    }

    let camera: VirtualCamera
    private let offers: [FormatOffer]?
    fileprivate let statesValues: Bool
    /// Why the camera does not start in a format; nil if it does.
    let refusal = Locked<(@Sendable (FormatRequest) -> CameraError?)?>(nil)
    /// What frames say that their stamps are; nil if nothing.
    let stampOrigin = Locked<StampOrigin?>(nil)
    private let activity = Observed(Activity())
    private let log = Locked(Log())

    /// - Parameters:
    ///   - offers: What it claims to offer; what a virtual camera does where nil.
    ///   - statesValues: Whether frames state the exposure time and gain that they were taken with. Otherwise they have
    ///     the present values of the controls.
    init(_ camera: VirtualCamera, offers: [FormatOffer]? = nil, statesValues: Bool = true) {
        self.camera = camera
        self.offers = offers
        self.statesValues = statesValues
    }

    var stamps: CameraStamps? { camera.stamps }

    /// Every frame that was handed on with the values that it was exposed with, whether it states them or not.
    var truth: [FrameFacts] { log.withLock { $0.frames } }

    /// Every request to set controls.
    var sets: [[String: Int64]] { log.withLock { $0.sets } }

    fileprivate func handOn(_ frame: CameraFrame) -> CameraFrame {
        log.withLock { $0.frames.append(FrameFacts(frame)) }
        var frame = frame
        frame.stampOrigin = stampOrigin.withLock { $0 }
        guard !statesValues else { return frame }
        // As a V4L2 camera: what its controls say at present.
        let present = camera.configuration
        (frame.exposure, frame.gain) = (
            .microseconds(Int64(present.exposureMilliseconds * 1000)), Int64(present.gainDecibels)
        )
        return frame
    }

    fileprivate func noteSet(_ values: [String: Int64]) { log.withLock { $0.sets.append(values) } }

    func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream {
        if let error = refusal.withLock({ $0 })?(request) { throw error }
        let stream = try await camera.start(request, clock: TappedClock(clock: clock, activity: activity))
        activity.change { activity in
            activity.stream = stream as? VirtualCameraStream
            activity.number += 1
            activity.isOpen = true
            activity.asked = 0
        }
        return TappedStream(stream: stream, of: self, activity: activity)
    }

    func authorization() async -> AuthorizationStatus { await camera.authorization() }

    func capabilities() async throws(CameraError) -> DeviceCapabilities {
        var capabilities = try await camera.capabilities()
        capabilities.formats = offers ?? capabilities.formats
        return capabilities
    }

    /// Returns when the camera waits for an instant after `now` and the session for the frame of it, or the camera is
    /// closed.
    func settled(after now: LocalTime) async {
        while true {
            await activity.wait { !$0.isOpen || $0.planned > now }
            let current = activity.value
            guard let stream = current.stream else { return }
            // The count of one stream says nothing of another's frames.
            let (number, handedOn) = (current.number, stream.report.handedOn - stream.losses.droppedByNode)
            await activity.wait { !$0.isOpen || $0.number != number || $0.asked > handedOn }
            if activity.value.number == number { return }
        }
    }
}

/// The clock of a camera, which tells what it waits for.
private struct TappedClock: TimeSource {
    let clock: any TimeSource
    let activity: Observed<TappedCamera.Activity>

    func now() -> LocalTime { clock.now() }
    func wallClockPair() -> WallClockPair<LocalTimeBase> { clock.wallClockPair() }

    func sleep(until deadline: LocalTime) async throws {
        activity.change { $0.planned = deadline }
        try await clock.sleep(until: deadline)
    }
}

private final class TappedStream: CameraStream {
    private let stream: any CameraStream
    private let activity: Observed<TappedCamera.Activity>
    let frames: AsyncStream<CameraFrame>

    private let camera: TappedCamera

    init(stream: any CameraStream, of camera: TappedCamera, activity: Observed<TappedCamera.Activity>) {
        self.stream = stream
        self.camera = camera
        self.activity = activity
        let waiting = stream.frames
        frames = AsyncStream(unfolding: {
            activity.change { $0.asked += 1 }
            for await frame in waiting { return camera.handOn(frame) }
            activity.change { $0.isOpen = false }
            return nil
        })
    }

    var format: VideoFormat { stream.format }
    var hardware: CameraHardware { stream.hardware }
    var losses: FrameCounters { stream.losses }
    var failure: CameraError? { stream.failure }
    var statesFrameValues: Bool { camera.statesValues }

    func controls() async throws(CameraError) -> [DeviceControl] { try await stream.controls() }

    func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64] {
        camera.noteSet(values)
        return try await stream.setControls(values)
    }

    var phaseControl: PhaseControl { stream.phaseControl }

    func shiftPhase(by shift: Duration) async throws(CameraError) -> Duration {
        try await stream.shiftPhase(by: shift)
    }

    func stop() async {
        await stream.stop()
        activity.change { $0.isOpen = false }
    }
}

extension FrameFacts {
    init(_ frame: CameraFrame) {
        self.init(
            sequence: frame.sequence, midExposure: frame.midExposure, stampBound: frame.stampBound,
            exposure: frame.exposure, gain: frame.gain)
    }
}
