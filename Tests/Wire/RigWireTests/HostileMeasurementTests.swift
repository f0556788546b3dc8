import CaptureModel
import CaptureTestSupport
import Foundation
import RigProtocol
import RigWire
import Testing

@Suite("Refuses hostile measurements")
struct HostileMeasurementTests {
    @Test(arguments: [
        Hostile<WireMeasurePictures>("x, y, width and height", "not a number") { $0.x = .nan },
        Hostile("x, y, width and height", "negative") { $0.y = -0.1 },
        Hostile("x, y, width and height", "empty") { $0.width = 0 },
        Hostile("x, y, width and height", "endless") { $0.height = .infinity },
        Hostile("x, y, width and height", "beyond the picture") { $0.x = 0.9 },
        Hostile("frames", "none") { $0.frames = 0 },
        Hostile("frames", "too many") { $0.frames = 65 },
        Hostile("skip", "too many") { $0.skip = .max },
    ])
    func request(hostile: Hostile<WireMeasurePictures>) {
        hostile.check(MeasureRequest().wire) { _ = try MeasureRequest(wire: $0) }
    }

    @Test(arguments: [
        Hostile<WirePictureMeasurement>("frames", "none") { $0.frames = 0 },
        Hostile("linearization", "unknown") { $0.linearization = "magic" },
        Hostile("encoded", "not a number") { $0.encoded.red = .nan },
        Hostile("linear", "more than all light") { $0.linear.blue = 1.5 },
        Hostile("spread", "negative") { $0.spread = -1 },
        Hostile("drift", "endless") { $0.drift = -.infinity },
        Hostile("clipped_high", "more than all pixels") { $0.clippedHigh = 2 },
        Hostile("clipped_low", "negative") { $0.clippedLow = -0.5 },
        Hostile("picture", "too large") { $0.picture = Data(count: PictureMeasurement.pictureByteLimit + 1) },
    ])
    func answer(hostile: Hostile<WirePictureMeasurement>) {
        var generator = SeededGenerator(seed: 1)
        hostile.check(generator.measurement().wire) { _ = try PictureMeasurement(wire: $0) }
    }
}
