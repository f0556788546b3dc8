import CameraKit
import CameraSettings
import CaptureModel
import DNG
import PosixSupport
import TurboJPEG

/// Measures frames, one after the other, on a thread for which no frame waits.
///
/// A measurement has at most ``MeasureOutput/queueDepth`` frames here, and a camera at most
/// ``MeasureOutput/limit`` measurements, so the waiting work is bounded.
actor PictureMeter {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private nonisolated let executor: ThreadExecutor
    private var decoder: JPEGDecoder?
    private var image = PlanarImage()

    init(executor: ThreadExecutor) {
        self.executor = executor
    }

    /// Measures a region of a frame.
    /// - Parameter curve: The camera's tone curve; nil: that of sRGB. A sensor's samples have none.
    /// - Throws: ``RigProblem``: `corrupted` if the frame cannot be decoded, `unsupportedSettings` for its levels.
    func measure(
        _ payload: FramePayload, _ region: PictureRegion, curve: ToneCurve?, raw: RawSettings
    ) throws(RigProblem) -> FrameMeasurement {
        do {
            switch payload {
            case .jpeg(let jpeg):
                let decoder = try decoder ?? JPEGDecoder()
                self.decoder = decoder
                try decoder.decodePlanes(jpeg.span, into: &image)
                return FrameMeasurement(image, region, curve ?? .sRGB)
            case .mosaic(let frame):
                let mosaic = try RawMosaic(frame: frame.bytes.span, format: frame.format)
                return FrameMeasurement(mosaic, region, try RawColor(raw, frame.color, bits: mosaic.bits))
            }
        } catch let problem as RigProblem {
            throw problem
        } catch {
            throw RigProblem(.corrupted, "a frame cannot be decoded: \(error)")
        }
    }

    /// Returns a small picture; nil if it cannot be made.
    func picture(of jpeg: [UInt8], size: PixelSize) -> [UInt8]? {
        let plan = ScalePlan(of: size, limit: PictureMeasurement.pictureSide, shape: .whole)
        guard let small = try? JPEGScaler().apply(plan, to: jpeg, quality: 80),
            small.count <= PictureMeasurement.pictureByteLimit
        else { return nil }
        return small
    }
}

/// What was measured in a region of one frame: means of red, green and blue.
struct FrameMeasurement: Sendable {
    /// The most pixels of a region that are read; of a larger one, every second, third and so on in both directions.
    private static let sampleLimit = 32_768

    private(set) var encoded = [0.0, 0.0, 0.0]
    private(set) var linear = [0.0, 0.0, 0.0]
    /// Parts of the pixels.
    private(set) var clippedHigh = 0.0
    private(set) var clippedLow = 0.0

    /// The brightness by which frames are compared.
    var brightness: Double { linear.reduce(0, +) / 3 }

    /// Measures a picture of luma and chroma, as JPEG has them.
    init(_ image: PlanarImage, _ region: PictureRegion, _ curve: ToneCurve) {
        let geometry = image.geometry
        let offsets = image.offsets
        let hasColor = geometry.strides.count == 3
        let (across, down) = (geometry.subsampling.horizontalFactor, geometry.subsampling.verticalFactor)
        let (columns, rows) = (region.columns(of: geometry.width), region.rows(of: geometry.height))
        let step = Self.step(columns.count * rows.count)
        let bytes = image.bytes.span
        var count = 0
        for y in stride(from: rows.lowerBound, to: rows.upperBound, by: step) {
            let line = offsets[0] + y * geometry.strides[0]
            let chroma = hasColor ? y / down * geometry.strides[1] : 0
            for x in stride(from: columns.lowerBound, to: columns.upperBound, by: step) {
                let luma = Int(bytes[line + x])
                let cb = hasColor ? Int(bytes[offsets[1] + chroma + x / across]) - 128 : 0
                let cr = hasColor ? Int(bytes[offsets[2] + chroma + x / across]) - 128 : 0
                // ITU-R BT.601, as JPEG has it, in 1/65536.
                add(
                    luma + (91_881 * cr + 32_768) >> 16, luma - (22_554 * cb + 46_802 * cr + 32_768) >> 16,
                    luma + (116_130 * cb + 32_768) >> 16, curve)
                count += 1
            }
        }
        divide(by: Double(count))
    }

    private mutating func add(_ red: Int, _ green: Int, _ blue: Int, _ curve: ToneCurve) {
        if max(red, green, blue) >= 254 { clippedHigh += 1 }
        if max(red, green, blue) <= 2 { clippedLow += 1 }
        let (red, green, blue) = (UInt8(clamping: red), UInt8(clamping: green), UInt8(clamping: blue))
        encoded[0] += Double(red) / 255
        encoded[1] += Double(green) / 255
        encoded[2] += Double(blue) / 255
        linear[0] += curve[red]
        linear[1] += curve[green]
        linear[2] += curve[blue]
    }

    /// Measures samples of a mosaic by cells of two by two.
    init(_ mosaic: RawMosaic, _ region: PictureRegion, _ color: RawColor) {
        let (columns, rows) = (region.columns(of: mosaic.width), region.rows(of: mosaic.height))
        let step = 2 * Self.step(columns.count * rows.count / 4)
        let (black, white) = (Double(color.blackLevel), Double(color.whiteLevel))
        let samples = mosaic.samples.span
        var cells = 0
        for y in stride(from: rows.lowerBound & ~1, to: min(rows.upperBound, mosaic.height - 1), by: step) {
            for x in stride(from: columns.lowerBound & ~1, to: min(columns.upperBound, mosaic.width - 1), by: step) {
                var (high, low) = (false, true)
                for (index, plane) in mosaic.order.planes.enumerated() {
                    let sample = Double(samples[(y + index / 2) * mosaic.width + x + index % 2])
                    let light = min(max((sample - black) / (white - black), 0), 1)
                    linear[plane] += plane == 1 ? light / 2 : light
                    high = high || light >= 0.995
                    low = low && light <= 0.0005
                }
                if high { clippedHigh += 1 }
                if low { clippedLow += 1 }
                cells += 1
            }
        }
        encoded = linear
        divide(by: Double(cells))
    }

    private static func step(_ pixels: Int) -> Int {
        max(Int((Double(pixels) / Double(sampleLimit)).squareRoot().rounded(.up)), 1)
    }

    private mutating func divide(by count: Double) {
        guard count > 0 else { return }
        encoded = encoded.map { $0 / count }
        linear = linear.map { $0 / count }
        (clippedHigh, clippedLow) = (clippedHigh / count, clippedLow / count)
    }
}

extension CFAOrder {
    /// The planes of the first two samples of the first row and of the second: 0 is red, 1 green, 2 blue.
    fileprivate var planes: [Int] {
        switch self {
        case .rggb: [0, 1, 1, 2]
        case .grbg: [1, 0, 2, 1]
        case .gbrg: [1, 2, 0, 1]
        case .bggr: [2, 1, 1, 0]
        }
    }
}
