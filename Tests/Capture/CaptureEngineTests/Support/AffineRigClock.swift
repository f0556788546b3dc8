import CaptureModel
import CaptureTestSupport
import PosixSupport
import Testing
import VirtualDevices

@testable import CaptureEngine

/// A rig clock that is exactly `local + offset`, with a bound of the test's choice; it can be lost.
final class AffineRigClock: RigTimeSource {
    private struct State: Sendable {
        var clockID: RigClockID?
        var offset: Duration
        var bound: Duration
    }

    private let state: Locked<State>

    init(offset: Duration = .seconds(7200), bound: Duration = .microseconds(150)) {
        state = Locked(State(clockID: RigClockID(rawValue: "rig-1"), offset: offset, bound: bound))
    }

    var clockID: RigClockID? { state.withLock { $0.clockID } }

    func rigTime(at local: LocalTime) -> BoundedRigTime? {
        state.withLock { state in
            guard state.clockID != nil else { return nil }
            let time = RigTime(nanoseconds: local.nanoseconds) + state.offset
            return BoundedRigTime(time: time, bound: state.bound)
        }
    }

    func localTime(at rig: RigTime) -> LocalTime? {
        state.withLock { state in
            guard state.clockID != nil else { return nil }
            return LocalTime(nanoseconds: rig.nanoseconds) - state.offset
        }
    }

    /// The node has found out that the rig's time is so much later than it thought.
    func learn(_ correction: Duration) {
        state.withLock { $0.offset += correction }
    }

    /// The node forgets its estimate, as when the coordinator's machine has rebooted.
    func lose() {
        state.withLock { $0.clockID = nil }
    }
}

extension Stage {
    /// A camera that streams in 160 × 120 and may take stills up to 640 × 480.
    static func larger(
        policy: SessionPolicy = SessionPolicy(), pixelFormat: PixelFormat? = nil, raw: RawSettings = RawSettings(),
        configure: (inout VirtualCameraConfiguration) -> Void = { _ in }
    ) throws -> Stage {
        try Stage(
            policy: policy, pixelFormat: pixelFormat, maxPhotoDimensions: .limit(PixelSize(width: 640, height: 480)),
            raw: raw, configure: configure)
    }

    /// An order for a still of 320 × 240.
    func larger(
        in duration: Duration, _ settings: PhotoSettings = PhotoSettings(), shot: Int64 = 1,
        pinnedFor pinned: Duration = .seconds(10)
    ) -> CaptureOrder {
        var settings = settings
        settings.maxPhotoDimensions = PixelSize(width: 320, height: 240)
        return order(now + duration, shot: shot, pinnedFor: pinned, settings: settings)
    }

    /// Fires an armed order and lets time pass until well after T.
    func fire(_ order: CaptureOrder, for duration: Duration = .seconds(4)) async -> CaptureResult {
        let firing = Task { [session] in await session.fire(order.key) }
        await pass(duration)
        return await firing.value
    }

    /// The camera is back in its stream, and frames of it are taken.
    func expectStream() async throws {
        let condition = await session.condition
        #expect(condition.state == .running && condition.format?.width == 160)
        await advance(frames: 2)
        let newest = try #require(await session.ring.newest)
        #expect(clock.now() - newest.midExposure < .milliseconds(100))
        #expect(await session.machine.formatSwitch == nil)
        #expect(await session.hasPhotoFrames == false)
    }
}

extension CaptureSession {
    /// Whether good frames of a still's format have come.
    var hasPhotoFrames: Bool { core.stream?.purpose == .photo && ring.newest != nil }
}

extension SessionNotice {
    /// The notice without its sentence.
    var name: String {
        switch self {
        case .didStartRunning: "didStartRunning"
        case .didStopRunning: "didStopRunning"
        case .wasInterrupted(let reason, _): "wasInterrupted(\(reason.rawValue))"
        case .interruptionEnded(let reason): "interruptionEnded(\(reason.rawValue))"
        case .runtimeError: "runtimeError"
        }
    }
}
