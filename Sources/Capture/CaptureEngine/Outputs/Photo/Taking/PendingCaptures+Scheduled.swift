import CameraKit
import CaptureModel
import FaultPoints

/// An exposure of a capture that its camera has acknowledged, with the stream that it belongs to.
struct ScheduledPicture: Sendable {
    let source: any ScheduledExposures
    let exposure: ArmedExposure

    /// Does nothing if the frame was delivered.
    func giveUp() { source.disarm(exposure) }
}

/// Captures of a camera that exposes at T: its exposure is a part of arming, and its frame becomes files as one of a stream does.
extension PendingCaptures {
    /// Has the camera expose at T.
    /// - Returns: nil of every other camera.
    func scheduledPicture(of order: CaptureOrder) async throws(RigProblem) -> ScheduledPicture? {
        guard let source = session.exposures else { return nil }
        let rigClock = session.rigClock
        guard rigClock.clockID == order.rigClock, let instant = rigClock.localTime(at: order.time) else {
            throw RigProblem(
                .unsynchronized, "\(device.id): the node is not synchronized with this rig time line yet")
        }
        do throws(ExposureRefusal) {
            let exposure = try await source.arm(at: instant, following: rigClock.discipline)
            return ScheduledPicture(source: source, exposure: exposure)
        } catch {
            throw RigProblem(error.cause.code, "\(device.id) cannot expose at T: \(error.reason)")
        }
    }

    /// Returns the frame of an exposure that is armed.
    func exposedFrame(of picture: ScheduledPicture, _ order: CaptureOrder) async throws(RigProblem) -> ExposedFrame {
        await SessionFault.frame.reached()
        let taken = try await frame(of: picture, order)
        try checkUnderWay(order)
        let kept = try ringFrame(taken)
        return ExposedFrame(frame: kept, timing: try timing(of: kept, order: order))
    }

    private func frame(
        of picture: ScheduledPicture, _ order: CaptureOrder
    ) async throws(RigProblem) -> CameraFrame {
        do throws(ExposureRefusal) {
            return try await picture.source.frame(of: picture.exposure)
        } catch {
            // A capture that was given up has its own reason.
            try checkUnderWay(order)
            guard list[order.key]?.interruption == nil else { throw brokenOff(order) }
            throw RigProblem(.noFrameNearTime, "\(device.id): \(error.reason)")
        }
    }

    /// Returns the frame as the ring has those of a stream.
    private func ringFrame(_ frame: CameraFrame) throws(RigProblem) -> RingFrame {
        guard let stream = session.stream else {
            throw RigProblem(.deviceLost, "\(device.id) failed after it was armed: \(session.stateDescription)")
        }
        var intake = try FrameIntake(
            format: stream.format, range: stream.stream.sampleRange, quality: session.policy.quality,
            clock: session.clock)
        do throws(FrameIntake.Rejection) {
            let accepted = try intake.accept(frame)
            return session.doubted(accepted.frame, in: intake.format)
        } catch {
            throw RigProblem(.corrupted, "\(device.id): the frame of T cannot be used: \(error.reason)")
        }
    }

    /// The bytes of a frame of a camera that exposes at given instants; nil of every other camera.
    var scheduledByteCount: Int? {
        guard session.exposures != nil, let format = session.stream?.format else { return nil }
        return format.pixelFormat.byteCount(width: format.width, height: format.height)
    }
}

extension FrameIntake.Rejection {
    /// A sentence without its subject.
    fileprivate var reason: String {
        switch self {
        case .flaggedErroneous: "its driver calls it erroneous"
        case .torn(let reason): reason
        case .otherSize(let size): "it has \(size.width)x\(size.height) pixels"
        }
    }
}

extension ExposureRefusal.Cause {
    fileprivate var code: RigProblem.Code {
        switch self {
        case .tooSoon: .tooSoon
        case .clock: .unsynchronized
        case .conflict: .conflict
        case .camera: .deviceLost
        }
    }
}
