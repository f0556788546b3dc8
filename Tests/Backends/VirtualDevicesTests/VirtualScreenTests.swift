import CameraKit
import CaptureModel
import CaptureTestSupport
import Glibc
import ScreenTiming
import Testing
import TurboJPEG

@testable import VirtualDevices

extension VirtualScreen {
    init(seed: UInt64 = 1, lagMilliseconds: Double = 0, rowsMilliseconds: Double = 0) {
        self.init()
        (self.seed, self.lagMilliseconds, self.rowsMilliseconds) = (seed, lagMilliseconds, rowsMilliseconds)
    }
}

@Suite("Virtual camera: a screen")
struct VirtualScreenTests {
    @Test("Each row shows the share of its exposure in which the screen was white")
    func rows() async throws {
        var bench = try await VirtualBench {
            (($0.width, $0.height), $0.exposureMilliseconds) = ((320, 240), 8)
            $0.screen = VirtualScreen(seed: 5, lagMilliseconds: 20, rowsMilliseconds: 30)
        }
        var partial = 0
        for frame in await bench.expose(200) {
            let image = try VirtualBench.luma(frame.lease.bytes)
            for row in stride(from: 4, to: 240, by: 8) {
                let late = Duration.microseconds(Int64((Double(row) / 240 - 0.5) * 30_000) - 20_000)
                let middle = RigTime(nanoseconds: (frame.midExposure + late).nanoseconds)
                let share = ScreenSequence(seed: 5)
                    .whiteShare(from: middle - .milliseconds(4), to: middle + .milliseconds(4))
                let shown = Int(image.bytes[row * image.width + 300])
                switch share {
                case 0: #expect(shown < 30)
                case 1: #expect((225...240).contains(shown))
                default:
                    partial += 1
                    let linear = 0.005 + share * 0.795
                    #expect(abs(Double(shown) - 255 * pow(linear, 1 / 2.2)) < 12, "\(share)")
                }
            }
        }
        #expect(partial > 100)
    }

    @Test("Stamps are late by the hidden delay, and claim a frame interval until they are corrected")
    func delay() async throws {
        let corrections: [(StampCorrection, Duration, Duration)] = [
            (StampCorrection(), .milliseconds(60), .milliseconds(40)),
            (
                StampCorrection(latencyOffset: .milliseconds(-59), uncertainty: .milliseconds(2)), .milliseconds(1),
                .milliseconds(2)
            ),
        ]
        for (correction, late, bound) in corrections {
            var configuration = VirtualCameraConfiguration()
            (configuration.width, configuration.height, configuration.framesPerSecond) = (160, 120, 25)
            configuration.stampDelayMilliseconds = 60
            let camera = VirtualCamera(name: "late", configuration: configuration, stamps: correction)
            #expect(camera.stamps?.correction == correction)
            var bench = try await VirtualBench(camera: camera, clock: ManualTimeSource())
            for frame in await bench.expose(3) {
                // Mid-exposures are at the multiples of 40 ms.
                #expect(frame.midExposure.nanoseconds % 40_000_000 == (late.nanoseconds % 40_000_000))
                #expect(frame.stampBound == bound)
                #expect(frame.isCorrected == (correction.uncertainty != nil))
                #expect(frame.midExposure <= frame.dequeued)
            }
        }
        #expect(VirtualCamera(name: "exact").stamps == CameraStamps(.simulated))
    }
}
