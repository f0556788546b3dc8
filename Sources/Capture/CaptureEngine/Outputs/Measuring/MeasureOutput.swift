import CameraKit
import CameraSettings
public import CaptureModel
import PosixSupport

/// Measures parts of a session's pictures on request: the mean of some of its next frames.
final class MeasureOutput: CaptureOutput {
    /// Measurements of a camera at a time.
    static let limit = 4
    /// Frames of a measurement that wait. While the meter is busy, frames are left out, so that a measurement keeps no
    /// frames that the ring has dropped.
    static let queueDepth = 3

    private struct Job {
        var frames: AsyncStream<RingFrame>.Continuation
        var skip: Int
        var missing: Int
        /// Why no more frames come.
        var problem: RigProblem?
    }

    private unowned let session: any SessionAccess
    private let controls: CameraControls
    private let captures: PendingCaptures
    private let meter: PictureMeter
    private var jobs: [Int: Job] = [:]
    private var next = 0

    init(_ session: any SessionAccess, controls: CameraControls, captures: PendingCaptures) {
        self.session = session
        self.controls = controls
        self.captures = captures
        meter = PictureMeter(executor: Self.executor(session.services))
    }

    /// A thread that the sessions of a node share, and for which no frame waits; without one, the session's own.
    private static func executor(_ services: SessionServices) -> ThreadExecutor {
        services.sceneMeter?.executor ?? services.developer?.executor ?? services.executor
    }

    private var device: DeviceID { session.device.id }

    // MARK: Calls of the session

    func receive(_ frame: RingFrame, from stream: OpenStream) {
        // Frames with controls set for a capture are not what is to be measured.
        guard stream.purpose == .session, !jobs.isEmpty, controls.areAsFound else { return }
        for id in jobs.keys { give(frame, to: id) }
    }

    private func give(_ frame: RingFrame, to id: Int) {
        guard var job = jobs[id], job.missing > 0 else { return }
        if job.skip > 0 {
            job.skip -= 1
        } else if case .enqueued = job.frames.yield(frame) {
            job.missing -= 1
            if job.missing == 0 { job.frames.finish() }
        }
        jobs[id] = job
    }

    func streamClosed(_ stream: OpenStream) { end(.notRunning, session.stateDescription) }

    func framesLost(because reason: String) async { end(.deviceLost, reason) }

    func deviceExchanged() { end(.notRunning, "another camera has become the input of the session") }

    func sessionEnded() async { end(.cancelled, "the node is shutting down") }

    private func end(_ code: RigProblem.Code, _ reason: String) {
        for id in jobs.keys where jobs[id]?.problem == nil {
            jobs[id]?.problem = RigProblem(code, "\(device) was not measured to the end: \(reason)")
            jobs[id]?.frames.finish()
        }
    }

    // MARK: Measuring

    func measure(_ request: MeasureRequest) async throws(RigProblem) -> PictureMeasurement {
        guard session.isRunning, session.stream?.purpose == .session else {
            throw RigProblem(
                .notRunning, "\(device) is not streaming: \(session.stateDescription); only pictures can be measured")
        }
        guard jobs.count < Self.limit else {
            throw RigProblem(
                .noMemory, "\(device): \(Self.limit) measurements are in progress; try again when one has ended")
        }
        next += 1
        let id = next
        let (frames, continuation) = AsyncStream.makeStream(
            of: RingFrame.self, bufferingPolicy: .bufferingOldest(Self.queueDepth))
        jobs[id] = Job(frames: continuation, skip: request.skip, missing: request.frames)
        defer { jobs[id] = nil }
        let result = try await mean(of: frames, request)
        if let problem = jobs[id]?.problem { throw problem }
        guard jobs[id]?.missing == 0, let result else {
            throw RigProblem(.cancelled, "\(device): the measurement was cancelled")
        }
        return result
    }

    /// - Returns: nil if no frame has arrived.
    private func mean(
        of frames: AsyncStream<RingFrame>, _ request: MeasureRequest
    ) async throws(RigProblem) -> PictureMeasurement? {
        let curve = toneCurve
        var measured: [FrameMeasurement] = []
        var (first, last): (RingFrame?, RingFrame?)
        for await frame in frames {
            measured.append(
                try await meter.measure(frame.payload, request.region, curve: curve, raw: session.setup.input.raw))
            (first, last) = (first ?? frame, frame)
        }
        guard let first, let last else { return nil }
        var result = PictureMeasurement(
            measured, first: try mark(first), last: try mark(last),
            linearization: last.isMosaic ? .raw : curve == nil ? .assumedSRGB : .measured)
        if request.wantsPicture { result.picture = await picture(of: last) }
        return result
    }

    /// The measured tone curve of the camera; nil if there is none.
    private var toneCurve: ToneCurve? {
        let hardware = session.knowledge.hardware
        return session.services.peculiarities(
            make: hardware.make, model: hardware.model, in: session.stream?.format)?.toneCurve
    }

    private func mark(_ frame: RingFrame) throws(RigProblem) -> FrameMark {
        let mid = try session.rigTime(at: frame.midExposure)
        return FrameMark(
            sequence: frame.sequence,
            midExposure: BoundedRigTime(time: mid.time, bound: mid.bound + frame.stampBound))
    }

    private func picture(of frame: RingFrame) async -> [UInt8]? {
        guard let format = session.stream?.format else { return nil }
        switch frame.payload {
        case .jpeg(let jpeg):
            return await meter.picture(of: jpeg, size: PixelSize(width: format.width, height: format.height))
        case .mosaic(let raw):
            let order = DevelopingRequest(
                frame: raw, settings: session.setup.input.raw, needsPhoto: false, quality: 80, rawDescription: nil)
            guard let developed = try? await captures.developer.develop(order) else { return nil }
            return await meter.picture(of: developed.jpeg, size: order.pictureSize)
        }
    }
}

extension PictureMeasurement {
    /// Creates the mean of at least one frame.
    init(_ frames: [FrameMeasurement], first: FrameMark, last: FrameMark, linearization: Linearization) {
        func mean(_ value: (FrameMeasurement) -> Double, _ part: ArraySlice<FrameMeasurement>) -> Double {
            part.reduce(0) { $0 + value($1) } / Double(max(part.count, 1))
        }
        func color(_ value: (FrameMeasurement) -> [Double]) -> ColorMean {
            ColorMean(
                red: mean({ value($0)[0] }, frames[...]), green: mean({ value($0)[1] }, frames[...]),
                blue: mean({ value($0)[2] }, frames[...]))
        }
        let half = frames.count / 2
        let brightness = max(mean(\.brightness, frames[...]), 1e-6)
        let ends = (frames.map(\.brightness).min() ?? 0, frames.map(\.brightness).max() ?? 0)
        self.init(
            frames: frames.count, first: first, last: last, linearization: linearization, encoded: color(\.encoded),
            linear: color(\.linear), spread: (ends.1 - ends.0) / brightness,
            drift: half == 0
                ? 0
                : (mean(\.brightness, frames.suffix(half)) - mean(\.brightness, frames.prefix(half))) / brightness,
            clippedHigh: mean(\.clippedHigh, frames[...]), clippedLow: mean(\.clippedLow, frames[...]))
    }
}

extension CaptureSession {
    /// Measures a part of the pictures: the mean of some of the next frames, so that flickering light averages out.
    ///
    /// Frames are decoded on a thread that the sessions of a node share; while it is busy, frames are left out.
    /// - Throws: ``RigProblem``: `notRunning`; `noMemory` with 4 measurements in progress;
    ///   `deviceLost` or `cancelled` if the frames do not arrive; `corrupted`; `unsynchronized`.
    public func measure(_ request: MeasureRequest) async throws(RigProblem) -> PictureMeasurement {
        try await measuring.measure(request)
    }
}
