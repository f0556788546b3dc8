import CameraKit
import CaptureModel
import CaptureTestSupport
import PosixSupport
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

/// Spoils frames as a flaw says, and keeps the wrong books.
final class FrameSpoiler: Sendable {
    private struct State {
        var passed = 0
        var dropped: UInt64 = 0
        var looks: UInt64 = 0
        var stops = 0
        var memory: [SharedMemory] = []
    }

    private let flaw: Flaw
    private let state = Locked(State())

    init(_ flaw: Flaw) {
        self.flaw = flaw
    }

    var dropped: UInt64 { state.withLock { $0.dropped } }
    var stops: Int { state.withLock { $0.stops } }

    func look() -> UInt64 {
        state.withLock { state in
            state.looks += 1
            return state.looks
        }
    }

    func stop() {
        state.withLock { state in
            state.stops += 1
            for memory in state.memory { memory.erase() }
        }
    }

    func pass(_ frame: CameraFrame, to frames: AsyncStream<CameraFrame>.Continuation) {
        let number = state.withLock { state in
            state.passed += 1
            return state.passed
        }
        if flaw == .hiddenLosses, number % 3 == 0 { return }
        if case .dropped = frames.yield(spoilt(frame)) { state.withLock { $0.dropped += 1 } }
    }

    /// Returns the picture without what is between its second and its third restart marker.
    private static func withoutInterval(_ picture: [UInt8]) -> [UInt8] {
        let markers = picture.indices.dropLast().filter {
            picture[$0] == 0xFF && (0xD0...0xD7).contains(picture[$0 + 1])
        }
        return markers.count > 2 ? Array(picture[..<markers[1]] + picture[markers[2]...]) : picture
    }

    private func spoilt(_ frame: CameraFrame) -> CameraFrame {
        var frame = frame
        switch flaw {
        case .halfFrames: frame.lease = FrameLease(Array(frame.lease.bytes.prefix(frame.lease.byteCount / 2)))
        case .lostIntervals: frame.lease = FrameLease(Self.withoutInterval(frame.lease.bytes))
        case .sameSequence: frame.sequence = 7
        case .otherInstants: frame.midExposure = frame.midExposure - .milliseconds(1)
        case .narrowBounds: (frame.exposure, frame.stampBound) = (nil, .zero)
        case .futureStamps: frame.midExposure = frame.dequeued + .seconds(1)
        case .changingLease:
            let memory = SharedMemory(frame.lease.bytes)
            state.withLock { $0.memory.append(memory) }
            frame.lease = memory.lease
        default: break
        }
        return frame
    }
}

/// Bytes that somebody changes while a lease on them is held; which is the flaw.
@safe private final class SharedMemory: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer

    init(_ content: [UInt8]) {
        unsafe bytes = .allocate(byteCount: content.count, alignment: 1)
        unsafe bytes.copyBytes(from: content)
    }

    deinit {
        unsafe bytes.deallocate()
    }

    var lease: FrameLease {
        unsafe FrameLease(borrowing: UnsafeRawBufferPointer(bytes)) { [self] in _ = self }
    }

    func erase() {
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }
}
