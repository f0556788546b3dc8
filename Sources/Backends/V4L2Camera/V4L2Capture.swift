import CameraKit
import CaptureModel
import Glibc
import PosixSupport
import Video4Linux

/// The loop of a camera's thread: wait, dequeue, stamp, hand on, queue again. Lives on that thread alone.
final class V4L2Capture {
    private let setup: V4L2Setup
    private let buffers: [MappedBuffer]
    private let control: StreamControl
    private let returns: BufferReturns
    private let frames: AsyncStream<CameraFrame>.Continuation
    private let clock: any TimeSource
    /// Asked for and sets the device's controls while it streams.
    let controls: ControlThread
    private let converter: FormatConverter?
    private var stamps: RisingStamps
    private var widener = SequenceWidener()
    /// Buffers the driver has.
    private var queued = 0

    /// How many buffers to ask for: the frames that may wait for the consumer, two in its hands, and the floor.
    private static let wantedBuffers: UInt32 = 8
    /// With fewer buffers than this left to the driver, frames are copied and their buffers queued again at once: a
    /// driver without buffers drops frames, and some report an error.
    private static let floor = 2
    /// With at least so many buffers left to the driver, the thread is not woken for one that comes back: it is queued
    /// again when the next frame has come.
    private static let plenty = 4

    /// Makes the buffers and starts the hardware.
    init(
        _ setup: V4L2Setup, control: StreamControl, frames: AsyncStream<CameraFrame>.Continuation,
        clock: any TimeSource, calibration: StampCalibration
    ) throws(VideoError) {
        self.setup = setup
        self.control = control
        self.frames = frames
        self.clock = clock
        stamps = RisingStamps(StampRule(calibration: calibration, frameInterval: setup.format.frameInterval))
        converter = try FormatConverter.make(setup)
        returns = BufferReturns(signal: control.signal)
        controls = try ControlThread(setup.device, path: setup.device.path)
        buffers = try setup.device.makeBuffers(Self.wantedBuffers)
        for buffer in buffers { try enqueue(buffer.index) }
        try setup.device.startStreaming()
    }

    /// Streams until it is asked to stop, or the device fails, which is thrown.
    func run(name: String) throws(VideoError) {
        let controlling = try controls.start(setup.device, name: "ctl-\(name)")
        defer {
            controls.stop()
            controlling.join()
        }
        do throws(VideoError) {
            while !control.isStopping { try step() }
        } catch {
            throw settled(error)
        }
    }

    private func step() throws(VideoError) {
        try takeBack()
        let readiness = try setup.device.wait(orReadable: control.signal.descriptor)
        if readiness.isWoken { control.signal.clear() }
        if readiness.isGone { throw failure(ENODEV, "poll") }
        guard readiness.hasFrame || readiness.hasError else { return }
        guard let filled = try setup.device.dequeue() else {
            if readiness.hasError { throw failure(EIO, "poll") }
            return
        }
        try take(filled)
    }

    /// A driver fails its queue (`EIO`) a moment before it says that the device was unplugged; waits for that moment,
    /// half a second at most, so that an unplugged camera is called absent and not broken.
    private func settled(_ error: VideoError) -> VideoError {
        for _ in 0..<50 where error.errorNumber == EIO && !control.isStopping {
            if !setup.device.isPresent { return failure(ENODEV, error.operation) }
            control.signal.clear()
            control.signal.wait(timeoutMilliseconds: 10)
        }
        return error
    }

    /// Stops the hardware and frees the device for others. What fails here is of no use to anybody: it is closed next.
    func end() {
        controls.stop()
        try? setup.device.stopStreaming()
        try? setup.device.freeBuffers()
    }

    private func failure(_ errorNumber: Int32, _ operation: String) -> VideoError {
        VideoError(errorNumber: errorNumber, operation: operation, devicePath: setup.device.path)
    }

    private func enqueue(_ index: UInt32) throws(VideoError) {
        try setup.device.enqueue(index)
        queued += 1
    }

    /// The signal was cleared before: an awaited buffer that comes back after the list was read raises it again.
    private func takeBack() throws(VideoError) {
        for index in returns.takeAll(awaitsMore: { queued + $0 < Self.plenty }) { try enqueue(index) }
    }

    private func take(_ filled: FilledBuffer) throws(VideoError) {
        let dequeued = clock.now()
        guard let buffer = buffers.first(where: { $0.index == filled.index }) else {
            throw failure(EIO, "VIDIOC_DQBUF")
        }
        queued -= 1
        let step = widener.step(to: filled.sequence)
        if step.skipped > 0 { control.count { $0.droppedByDevice += step.skipped } }
        let (exposure, gain) = (controls.sensor.exposure, controls.sensor.gain)
        let stamp = stamps.take(filled, exposure: exposure, dequeued: dequeued)
        guard let lease = try lease(filled, buffer) else { return }
        hand(
            CameraFrame(
                sequence: step.sequence, midExposure: stamp.midExposure, stampBound: stamp.bound, exposure: exposure,
                gain: gain, dequeued: dequeued, isFlaggedErroneous: filled.isErroneous,
                payload: CameraFrame.Payload(lease, of: setup.format.pixelFormat)))
    }

    /// The frame's pixel data, packed and in the stream's format; nil, counted, and with the buffer queued again, where
    /// there is none.
    private func lease(_ filled: FilledBuffer, _ buffer: MappedBuffer) throws(VideoError) -> FrameLease? {
        let payload = FramePayload(
            setup.source.structure, setup.layout, filled: filled.planes, capacities: buffer.byteCounts)
        let packed: [UInt8]?
        switch payload {
        case .whole(let offset, let count):
            if queued >= Self.floor, converter == nil {
                return FrameLease(buffer, offset: offset, count: count, returns: returns)
            }
            packed = buffer.packed([
                BufferPart(memoryPlane: 0, offset: offset, rows: 1, rowBytes: count, stride: count)
            ])
        case .scattered(let parts):
            packed = buffer.packed(parts)
        case .incomplete:
            packed = nil
        }
        try enqueue(buffer.index)
        guard let packed else {
            count(incomplete: filled)
            return nil
        }
        return converted(packed)
    }

    /// Nothing in it: a driver that flags the frame says it was spoilt, otherwise it never came.
    private func count(incomplete filled: FilledBuffer) {
        let cause: WritableKeyPath<FrameCounters, UInt64> =
            filled.isErroneous ? \.flaggedErroneous : \.droppedByDevice
        control.count { $0[keyPath: cause] += 1 }
    }

    private func converted(_ packed: [UInt8]) -> FrameLease? {
        guard let converter else { return FrameLease(packed) }
        guard let bytes = converter.convert(packed) else {
            control.count { $0.torn += 1 }
            return nil
        }
        return FrameLease(bytes)
    }

    private func hand(_ frame: CameraFrame) {
        if case .dropped = frames.yield(frame) { control.count { $0.droppedByNode += 1 } }
    }
}
