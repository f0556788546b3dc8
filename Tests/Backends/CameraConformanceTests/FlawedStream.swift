import CameraKit
import CaptureModel
import CaptureTestSupport
import VirtualDevices

/// Frames of a virtual camera, spoilt on their way.
final class FlawedStream: CameraStream {
    let frames: AsyncStream<CameraFrame>
    private let inner: any CameraStream
    private let camera: FlawedCamera
    private let stops: Observed<Int>
    private let stopsAtStart: Int
    private let spoiler: FrameSpoiler
    private let spoiling: Task<Void, Never>

    init(_ inner: any CameraStream, of camera: FlawedCamera, stops: Observed<Int>) {
        (self.inner, self.camera, self.stops, stopsAtStart) = (inner, camera, stops, stops.value)
        let policy: AsyncStream<CameraFrame>.Continuation.BufferingPolicy =
            camera.flaw == .longQueue ? .unbounded : .bufferingNewest(4)
        let (frames, continuation) = AsyncStream.makeStream(of: CameraFrame.self, bufferingPolicy: policy)
        let spoiler = FrameSpoiler(camera.flaw)
        (self.frames, self.spoiler) = (frames, spoiler)
        let source = inner.frames
        if camera.flaw == .keptByConsumer {
            continuation.onTermination = { end in
                if case .cancelled = end { camera.kept.change { $0 = "its consumer was cancelled" } }
            }
        }
        spoiling = Task {
            for await frame in source { spoiler.pass(frame, to: continuation) }
            continuation.finish()
        }
    }

    deinit {
        if camera.flaw == .keptByStream, spoiler.stops == 0 { camera.kept.change { $0 = "its stream was dropped" } }
    }

    var format: VideoFormat {
        var format = inner.format
        if camera.flaw == .otherFormat { format.width += 1 }
        return format
    }

    var hardware: CameraHardware { inner.hardware }

    var losses: FrameCounters {
        var losses = inner.losses
        losses.droppedByNode += spoiler.dropped
        // Fewer with every look.
        if camera.flaw == .forgottenLosses { losses.droppedByDevice += 1000 - spoiler.look() }
        return losses
    }

    var failure: CameraError? {
        switch camera.flaw {
        case .failureAfterStop where spoiler.stops > 0: camera.error(.failed, "it was stopped")
        case .failureOfSecondStop where spoiler.stops > 1: camera.error(.failed, "it was stopped twice")
        case .stopsTheOther where stops.value > stopsAtStart && spoiler.stops == 0: camera.error(.failed, "the other")
        default: inner.failure
        }
    }

    func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64] { values }

    func stop() async {
        spoiler.stop()
        stops.change { $0 += 1 }
        await inner.stop()
        await spoiling.value
    }
}
