import CaptureModel
import Glibc
import TimeCode

/// Makes the bytes of each frame of a stream, faults of the picture included.
struct VirtualPainter {
    private let camera: UInt16
    private var scene: VirtualScene
    private var last: [UInt8]?

    /// The exposure at which the scene has its own brightness.
    private static let nominalExposure = 8.0

    /// - Throws: What the encoder says when it cannot be had.
    init(_ configuration: VirtualCameraConfiguration, layout: TimeCodeLayout) throws {
        camera = configuration.number
        scene = try VirtualScene(
            layout, quality: configuration.quality, camera: configuration.number, noise: configuration.noise)
    }

    /// The JPEG of this exposure, as the faults leave it.
    /// - Throws: What the encoder says when it fails.
    mutating func picture(
        _ exposure: Exposure, _ settings: VirtualCameraConfiguration, _ faults: Set<VirtualFault.Kind>,
        _ clocks: WallClockPair<LocalTimeBase>
    ) throws -> [UInt8] {
        let picture: [UInt8]
        if faults.contains(.frozen), let last {
            picture = last
        } else {
            let code = TimeCode(
                realtimeNanoseconds: clocks.realtimeNanoseconds(at: exposure.midExposure),
                frameNumber: UInt32(truncatingIfNeeded: exposure.sequence), cameraNumber: camera)
            picture = try scene.picture(code, brightness: Self.brightness(exposure.length, settings.gainDecibels))
        }
        last = picture
        return faults.contains(.torn) ? Array(picture.prefix(picture.count / 2)) : picture
    }

    /// Light gathered, and its amplification: 20 dB are a factor of ten.
    private static func brightness(_ exposure: Duration, _ gain: Double) -> Double {
        exposure.seconds * 1000 / nominalExposure * pow(10, gain / 20)
    }
}
