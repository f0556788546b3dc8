import CameraKit
import CaptureModel
import DNG
import TurboJPEG

/// The sensor's samples of a scene: what a camera with this mosaic delivers where others deliver the JPEG.
struct VirtualMosaic {
    /// The scene is drawn as JPEG of this quality first, so that its traces stay below the samples' own steps.
    static let sceneQuality = 98

    private let format: VideoFormat
    private let decoder: JPEGDecoder
    private var image = PlanarImage()

    /// - Throws: What the decoder says when it cannot be had.
    init(_ format: VideoFormat) throws {
        self.format = format
        decoder = try JPEGDecoder(maximumPixelCount: .max)
    }

    /// The packed frame of a picture of the format's size.
    /// - Throws: What a library says when it fails.
    mutating func frame(of jpeg: [UInt8]) throws -> [UInt8] {
        guard case .bayer(let order, let bits, let isPacked) = format.pixelFormat.family else { return jpeg }
        try decoder.decodePlanes(jpeg.span, into: &image)
        let strides = image.geometry.strides
        guard strides.count == 3, image.geometry.subsampling == .yuv422 else { throw UnexpectedJPEG() }
        let picture = RawMosaic.Picture(
            lumaStride: strides[0], chromaStride: strides[1], isChromaHalved: true, bytes: image.bytes)
        return try RawMosaic(
            sampling: picture, width: format.width, height: format.height, bits: bits, order: CFAOrder(order)
        ).frame(RawPacking(bits: bits, isPacked: isPacked))
    }
}
