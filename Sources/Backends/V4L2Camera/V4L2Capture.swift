import CameraKit
import CaptureModel
import Glibc
import PosixSupport
import Video4Linux

/// The loop of a camera's thread: wait if the driver has no frame, dequeue, stamp, pass on, queue again. Used only on that thread.
final class V4L2Capture {
    private let setup: V4L2Setup
    private let buffers: [MappedBuffer]
    private let control: StreamControl
    private let returns: ReturnedBuffers
    private let frames: AsyncStream<CameraFrame>.Continuation
    private let clock: any TimeSource
    /// The thread that reads and sets the device's controls while it streams.
    let controls: ControlThread
    private let converter: FormatConverter?
    private var stamps: MonotonicStamps
    /// nil if only the driver stamps the frames.
    private let cameraStamps: CameraStampReader?
    /// What the newest stamp was; others read it.
    private let origin: Locked<StampOrigin>
    private var toldOrigin = StampOrigin.driver
    private var widener = SequenceWidener()
    /// Number of buffers that the driver has.
    private var queued = 0
    /// When the driver was last known to have no filled buffer.
    private var emptied: LocalTime

    /// Number of buffers to request: the frames that may wait for the consumer, two in its hands, and the floor.
    private static let wantedBuffers = UInt32(DriverQueue.depth)
    /// With fewer buffers than this left to the driver, frames are copied and their buffers queued again at once. A
    /// driver without buffers drops frames, and some report an error.
    private static let floor = 2
    /// With at least this many buffers left to the driver, the thread is not woken for a returned one. It is queued
    /// again after the next frame.
    private static let plenty = 4

    /// Creates the buffers and starts the hardware.
    init(
        _ setup: V4L2Setup, control: StreamControl, frames: AsyncStream<CameraFrame>.Continuation,
        clock: any TimeSource, correction: StampCorrection, cameraStamps: CameraStampReader?,
        origin: Locked<StampOrigin>
    ) throws(VideoError) {
        self.setup = setup
        self.control = control
        self.frames = frames
        self.clock = clock
        self.origin = origin
        self.cameraStamps = cameraStamps
        emptied = clock.now()
        stamps = MonotonicStamps(
            StampRule(correction: correction, frameInterval: setup.format.frameInterval), start: emptied)
        converter = try FormatConverter.make(setup)
        returns = ReturnedBuffers(signal: control.signal)
        controls = try ControlThread(setup.device, path: setup.device.path)
        buffers = try setup.device.makeBuffers(Self.wantedBuffers)
        for buffer in buffers { try enqueue(buffer.index) }
        try setup.device.startStreaming()
    }

    /// Streams until a stop is requested, or throws when the device fails.
    func run(name: String) throws(VideoError) {
        let controlling = try controls.start(setup.device, name: "ctl-\(name)")
        defer {
            controls.stop()
            controlling.join()
        }
        do throws(VideoError) {
            while !control.isStopping { try step() }
        } catch {
            throw classified(error)
        }
    }

    private func step() throws(VideoError) {
        try requeueReturned()
        // A frame that is there already has waited; what comes later was not there at this instant.
        let asked = clock.now()
        if let filled = try setup.device.dequeue() { return try process(filled) }
        emptied = asked
        let readiness = try setup.device.wait(orReadable: control.signal.descriptor)
        if readiness.isWoken { control.signal.clear() }
        if readiness.isGone { throw failure(ENODEV, "poll") }
        guard readiness.hasFrame || readiness.hasError else { return }
        guard let filled = try setup.device.dequeue() else {
            if readiness.hasError { throw failure(EIO, "poll") }
            return
        }
        try process(filled)
    }

    /// Reclassifies an error. A driver fails its queue (`EIO`) shortly before it reports that the device was unplugged.
    /// Waits for that report for half a second at most, so that an unplugged camera is reported as absent and not
    /// broken.
    private func classified(_ error: VideoError) -> VideoError {
        for _ in 0..<50 where error.errorNumber == EIO && !control.isStopping {
            if !setup.device.isPresent { return failure(ENODEV, error.operation) }
            control.signal.clear()
            control.signal.wait(timeoutMilliseconds: 10)
        }
        return error
    }

    /// Stops the hardware and frees the device for others. Failures are ignored, because the device is closed next.
    func end() {
        controls.stop()
        cameraStamps?.end()
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

    /// Queues the returned buffers again. The signal was cleared before: an awaited buffer that returns after the list
    /// was read raises it again.
    private func requeueReturned() throws(VideoError) {
        for index in returns.removeAll(awaitsMore: { queued + $0 < Self.plenty }) { try enqueue(index) }
    }

    private func tell(_ newest: StampOrigin) {
        guard newest != toldOrigin else { return }
        toldOrigin = newest
        origin.withLock { $0 = newest }
    }

    private func process(_ filled: FilledBuffer) throws(VideoError) {
        let dequeued = clock.now()
        guard let buffer = buffers.first(where: { $0.index == filled.index }) else {
            throw failure(EIO, "VIDIOC_DQBUF")
        }
        queued -= 1
        let step = widener.step(to: filled.sequence)
        if step.skipped > 0 { control.count { $0.droppedByDevice += step.skipped } }
        let reading = cameraStamps?.reading(of: filled.sequence, dequeued: dequeued)
        let stampOrigin = reading == nil ? StampOrigin(filled) : .cameraClock
        tell(stampOrigin)
        let (exposure, gain) = (controls.sensor.exposure, controls.sensor.gain)
        let stamp = stamps.stamp(
            filled, skipped: step.skipped, exposure: exposure,
            arrival: Arrival(instant: dequeued, delay: dequeued - emptied), reading: reading)
        guard let lease = try lease(filled, buffer) else { return }
        hand(
            CameraFrame(
                sequence: step.sequence, midExposure: stamp.midExposure, stampBound: stamp.bound,
                stampOrigin: stampOrigin, isCorrected: stamp.isCorrected, exposure: exposure, gain: gain,
                dequeued: dequeued, isFlaggedErroneous: filled.isErroneous,
                payload: CameraFrame.Payload(lease, of: setup.format.pixelFormat)))
    }

    /// Returns the frame's pixel data, packed and in the stream's format. If there is none, returns nil, counts the
    /// loss and queues the buffer again.
    private func lease(_ filled: FilledBuffer, _ buffer: MappedBuffer) throws(VideoError) -> FrameLease? {
        let payload = BufferPayload(
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

    /// Counts an empty frame: as erroneous if the driver flags it, otherwise as dropped.
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

extension FormatConverter {
    /// Returns the converter for a camera's frames; nil if they need none.
    /// - Throws: ``VideoError`` with `ENOMEM` if the library has no memory.
    static func make(_ setup: V4L2Setup) throws(VideoError) -> FormatConverter? {
        guard let source = setup.source.convertedFrom else { return nil }
        let (width, height) = (setup.format.width, setup.format.height)
        guard let structure = setup.source.structure, let first = structure.planes.first,
            let sourceByteCount = structure.byteCount(width: width, height: height),
            let targetByteCount = setup.format.pixelFormat.byteCount(width: width, height: height),
            let converter = FormatConverter(
                from: source, bytesPerRow: first.rowBytes(width: width), sourceByteCount: sourceByteCount,
                to: FourCC(setup.format.pixelFormat.rawValue), targetByteCount: targetByteCount, width: width,
                height: height)
        else { throw VideoError(errorNumber: ENOMEM, operation: "v4lconvert", devicePath: setup.device.path) }
        return converter
    }
}

extension FrameLease {
    /// Creates a lease on a part of a driver's buffer, which is passed to `returns` when the lease ends.
    ///
    /// The guard of the borrowed memory: the closure keeps the mapping alive, and the buffer is queued, and so written,
    /// only after it returned through `returns`.
    convenience init(_ buffer: MappedBuffer, offset: Int, count: Int, returns: ReturnedBuffers) {
        unsafe self.init(borrowing: buffer.bytes(offset: offset, count: count)) {
            returns.add(buffer.index)
        }
    }
}
