import CameraKit
import CaptureModel
import ScreenTiming
import SystemClock
import TurboJPEG
import V4L2Camera

/// Measures the latency of a USB camera of the device lab that sees a screen, as `capctl sync calibrate` does, and judges it: such a camera
/// writes into each picture when it was made, which is a known time after its exposure.
struct ScreenRun {
    private let options: ProbeOptions
    private let decoder: JPEGDecoder
    private var image = LumaImage()

    /// How many frames are taken with the correction.
    private static let correctedFrames = 60

    /// A frame as the node states it, and as it was.
    private struct Sight {
        var picture: ScreenPicture
        var frame: CameraFrame
        /// How much later than the truth its mid-exposure is stated.
        var late: Duration
    }

    init(_ options: ProbeOptions) throws {
        self.options = options
        decoder = try JPEGDecoder()
    }

    /// Prints what was measured, and each frame with the correction.
    /// - Returns: Whether the latency could be measured.
    mutating func run() async throws -> Bool {
        let sights = try await sights(StampCorrection(), count: options.frames)
        guard let first = sights.first, let last = sights.last else { return false }
        let switches = ScreenSequence(seed: UInt64(options.seed)).switches(
            from: first.picture.midExposure - .seconds(2), to: last.picture.midExposure + .seconds(2))
        let timing: ScreenTiming
        do throws(ScreenTimingProblem) {
            timing = try ScreenTimingEstimator(switches: switches, clockBound: .zero)
                .timing(of: sights.map(\.picture))
        } catch {
            var line = ProbeLine("notCalibrated")
            line.reason = error.description
            try line.write()
            return false
        }
        let lag = Duration.microseconds(options.lag)
        guard let known = ScreenLag(least: lag, most: lag) else { return false }
        let (correction, uncertainty) = timing.latency(known)
        var line = ProbeLine("calibrated")
        line.correctionNanoseconds = correction.nanoseconds
        line.fitNanoseconds = timing.fit.nanoseconds
        line.jitterNanoseconds = timing.jitter.nanoseconds
        line.boundNanoseconds = uncertainty.nanoseconds
        line.errorNanoseconds = (correction + sights.map(\.late).sorted()[sights.count / 2]).nanoseconds
        try line.write()
        let corrected = StampCorrection(
            latencyOffset: correction, uncertainty: uncertainty, measuredExposure: first.frame.exposure)
        for sight in try await self.sights(corrected, count: Self.correctedFrames) {
            var line = ProbeLine(sight.frame)
            line.errorNanoseconds = sight.late.nanoseconds
            try line.write()
        }
        return true
    }

    /// Takes frames. Those that are not of such a camera are left out.
    private mutating func sights(_ correction: StampCorrection, count: Int) async throws -> [Sight] {
        let camera = V4L2Camera(name: "probe", identity: options.identity, correction: correction)
        let stream: any CameraStream
        do throws(CameraError) {
            stream = try await camera.start(options.request, clock: SystemTimeSource())
        } catch {
            try ProbeLine("refused", error).write()
            return []
        }
        var sights: [Sight] = []
        for await frame in stream.frames {
            if let sight = sight(frame) { sights.append(sight) }
            if sights.count == count { break }
        }
        await stream.stop()
        if let failure = stream.failure { try ProbeLine("ended", failure).write() }
        return sights
    }

    private mutating func sight(_ frame: CameraFrame) -> Sight? {
        var frame = frame
        let jpeg = frame.lease.bytes
        // The driver's buffer is not needed any longer.
        frame.lease = FrameLease([])
        guard let made = Self.made(jpeg), (try? decoder.decodeLuma(jpeg.span, scale: .eighth, into: &image)) != nil,
            let cells = ScreenPicture.cells(of: image.bytes.span, width: image.width, height: image.height),
            let picture = ScreenPicture(
                midExposure: RigTime(nanoseconds: frame.midExposure.nanoseconds), clockBound: .zero,
                exposure: frame.exposure, cells: cells)
        else { return nil }
        let truth = made - .microseconds(options.delay)
        return Sight(picture: picture, frame: frame, late: frame.midExposure - truth)
    }

    /// When a picture was made, by the comment at its beginning: `seq=N mono=NANOSECONDS`.
    private static func made(_ jpeg: [UInt8]) -> LocalTime? {
        guard jpeg.count > 6, jpeg[2] == 0xFF, jpeg[3] == 0xFE else { return nil }
        let end = 4 + (Int(jpeg[4]) << 8 | Int(jpeg[5]))
        guard end > 6, end <= jpeg.count else { return nil }
        let words = String(decoding: jpeg[6..<end], as: UTF8.self).split(separator: " ")
        guard let word = words.last, word.hasPrefix("mono=") else { return nil }
        return Int64(word.dropFirst("mono=".count)).map { LocalTime(nanoseconds: $0) }
    }
}
