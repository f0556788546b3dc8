import CaptureModel
import TimeCode

/// Makes the bytes of each frame of a stream, faults of the picture included.
struct VirtualPainter {
    private let camera: UInt16
    private var scene: VirtualScene
    private var mosaic: VirtualMosaic?
    private var last: [UInt8]?

    /// - Throws: What the encoder says when it cannot be had.
    init(_ configuration: VirtualCameraConfiguration, _ agreed: VirtualFormat) throws {
        camera = configuration.number
        let isMosaic = agreed.video.pixelFormat.family.isMosaic
        scene = try VirtualScene(
            agreed.layout, quality: isMosaic ? VirtualMosaic.sceneQuality : configuration.quality,
            camera: configuration.number, noise: configuration.noise)
        mosaic = isMosaic ? try VirtualMosaic(agreed.video) : nil
    }

    /// The frame of this exposure, as the faults leave it.
    /// - Throws: What the encoder says when it fails.
    mutating func picture(
        _ exposure: Exposure, _ settings: VirtualSettings, _ faults: Set<VirtualFault.Kind>,
        _ clocks: WallClockPair<LocalTimeBase>
    ) throws -> [UInt8] {
        let picture: [UInt8]
        if faults.contains(.frozen), let last {
            picture = last
        } else {
            let code = TimeCode(
                realtimeNanoseconds: clocks.realtimeNanoseconds(at: exposure.midExposure),
                frameNumber: UInt32(truncatingIfNeeded: exposure.sequence), cameraNumber: camera)
            let drawn = try scene.picture(code, brightness: settings.brightness(exposure: exposure.length))
            picture = try mosaic?.frame(of: drawn) ?? drawn
        }
        last = picture
        return faults.contains(.torn) ? Array(picture.prefix(picture.count / 2)) : picture
    }
}
