import CameraKit
import CaptureModel
import CaptureTestSupport
import Glibc
import ScreenTiming
import Testing
import TurboJPEG

@testable import VirtualDevices

/// The whole way from pixels to a camera's bound: two virtual cameras look at a virtual screen, and the estimator knows only their pictures and
/// stamps, and when the screen was told to switch.
@Suite("Virtual camera: calibrated at a screen")
struct HiddenLatencyTests {
    /// What the estimator is not told.
    private struct Hidden {
        let seed: UInt64
        let lag: Double
        let delay: Double
        let exposures: [Double]
        let rows: [Double]

        init(seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            func within(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &generator) }
            self.seed = seed
            (lag, delay) = (within(0...60), within(5...80))
            exposures = [within(2...30), within(2...30)]
            rows = [within(0...30), within(0...30)]
        }

        /// One of the two cameras that look at the screen; one whose stamps are exact without a delay.
        func camera(_ number: Int, delay: Double?, _ correction: StampCorrection = StampCorrection()) -> VirtualCamera {
            var configuration = VirtualCameraConfiguration()
            (configuration.width, configuration.height, configuration.framesPerSecond) = (320, 240, 30)
            configuration.exposureMilliseconds = exposures[number]
            // As bright as with the usual exposure, so that white is not clipped.
            configuration.gainDecibels = 20 * log10(8 / exposures[number])
            configuration.phaseMilliseconds = Double(number) * 11
            configuration.stampDelayMilliseconds = delay
            configuration.screen = VirtualScreen(seed: seed, lagMilliseconds: lag, rowsMilliseconds: rows[number])
            return VirtualCamera(name: "cam\(number)", configuration: configuration, stamps: correction)
        }
    }

    /// What 20 s of pictures tell.
    private func timing(of camera: VirtualCamera, seed: UInt64) async throws -> ScreenTiming {
        var bench = try await VirtualBench(camera: camera, clock: ManualTimeSource())
        var pictures: [ScreenPicture] = []
        for _ in 0..<600 {
            for frame in await bench.expose(1) {
                let image = try VirtualBench.luma(frame.lease.bytes)
                let cells = ScreenPicture.cells(of: image.bytes.span, width: image.width, height: image.height)
                let picture = ScreenPicture(
                    midExposure: RigTime(nanoseconds: frame.midExposure.nanoseconds), clockBound: .zero,
                    exposure: frame.exposure, cells: try #require(cells))
                pictures.append(try #require(picture))
            }
        }
        let (first, last) = (try #require(pictures.first), try #require(pictures.last))
        let switches = ScreenSequence(seed: seed)
            .switches(from: first.midExposure - .seconds(2), to: last.midExposure + .seconds(2))
        return try ScreenTimingEstimator(switches: switches, clockBound: .zero, scan: .zero).timing(of: pictures)
    }

    @Test(
        "A hidden latency of 5 to 80 ms is found within half a millisecond beside a camera without one, whatever the screen's lag, and its bound is a millisecond at most then",
        arguments: TestExtent.some(3, of: UInt64(1)...50))
    func found(seed: UInt64) async throws {
        let hidden = Hidden(seed: seed)
        let reference = try await timing(of: hidden.camera(0, delay: nil), seed: seed)
        let lag = try #require(ScreenLag.unknown.narrowed(by: reference, stampBound: .microseconds(100)))
        let measured = try await timing(of: hidden.camera(1, delay: hidden.delay), seed: seed).latency(lag)
        let error = abs(Double(measured.correction.nanoseconds) / 1e6 + hidden.delay)
        #expect(error < 0.5, "\(hidden), \(measured)")
        #expect(error <= Double(measured.uncertainty.nanoseconds) / 1e6, "\(hidden), \(measured)")
        let correction = StampCorrection(latencyOffset: measured.correction, uncertainty: measured.uncertainty)
        let corrected = hidden.camera(1, delay: hidden.delay, correction)
        var bench = try await VirtualBench(camera: corrected, clock: ManualTimeSource())
        for frame in await bench.expose(2) {
            #expect(frame.stampBound <= .milliseconds(1) && frame.isCorrected, "\(hidden), \(measured)")
        }
    }
}
