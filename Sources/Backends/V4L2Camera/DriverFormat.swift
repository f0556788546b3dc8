import CaptureModel
import Video4Linux

/// A driver's format that can be captured, and the consumers' format. Pure.
///
/// | driver's format | processing of a frame |
/// |---|---|
/// | one of ``PixelFormat``, or `JPEG` for `MJPG` | passed on in place; copied if it is padded |
/// | the same in several memory planes: `NM12`, `NM21`, `YM12` | packed into one, by copying |
/// | another uncompressed one that libv4lconvert supports | packed, then converted on the camera's thread |
///
/// Only libv4lconvert formats whose frames have a fixed number of bytes are used. Its decoders for the compressions of
/// certain cameras read on without checking the length, and a camera cannot be trusted with that.
struct DriverFormat: Hashable, Sendable {
    var fourcc: FourCC
    /// The consumers' format.
    var pixelFormat: PixelFormat
    /// The layout of the driver's frame in memory, in one memory plane or in several; nil for JPEG.
    var structure: PixelStructure?
    /// libv4lconvert's name of the packed frame; nil if nothing is converted.
    var convertedFrom: FourCC?
    /// Whether the samples are luma only.
    private var isGray = false

    /// nil for a format that cannot be captured.
    init?(_ fourcc: FourCC) {
        self.fourcc = fourcc
        if let pixelFormat = Self.direct[fourcc] {
            self.pixelFormat = pixelFormat
            structure = pixelFormat.family.structure
        } else if let conversion = Self.conversions[fourcc] {
            pixelFormat = conversion.target
            structure = conversion.structure
            convertedFrom = conversion.packed ?? fourcc
            isGray = conversion.isGray
        } else {
            return nil
        }
    }

    /// The preference if a request leaves the format open; lower is better: JPEG as encoded by the camera, then
    /// pictures by the time of their encoding, then formats that must be converted, then those that must be developed.
    var rank: Int {
        if pixelFormat.family.isMosaic { return Self.byCost.count + 1 }
        if convertedFrom != nil { return Self.byCost.count }
        return Self.byCost.firstIndex(of: pixelFormat) ?? Self.byCost.count
    }

    /// Returns the range of the samples. Gray counts as full unless the driver reports otherwise: sensors without
    /// color deliver raw values, and widening would cut off their ends.
    func range(_ told: PixelLayout.Range) -> SampleRange {
        switch told {
        case .full: .full
        case .limited: pixelFormat.family == .rgb ? .full : .limited
        case .formatsDefault: pixelFormat.family.isYCbCr && !isGray ? .limited : .full
        }
    }

    /// Returns whether frames of this size can be captured.
    func accepts(width: UInt32, height: UInt32) -> Bool {
        guard PixelStructure.sides.contains(Int(width)), PixelStructure.sides.contains(Int(height)) else {
            return false
        }
        return convertedFrom == nil || FormatConverter.accepts(width: Int(width), height: Int(height))
    }

    private static let byCost: [PixelFormat] = [
        .mjpeg, .yu12, .nv12, .nv21, .yuyv, .uyvy, .rgb24, .grey, .y12, .y10,
    ]

    private static let direct: [FourCC: PixelFormat] = {
        var formats: [FourCC: PixelFormat] = [
            .jpeg: .mjpeg, FourCC("NM12"): .nv12, FourCC("NM21"): .nv21, FourCC("YM12"): .yu12,
        ]
        for format in PixelFormat.allCases { formats[FourCC(format.rawValue)] = format }
        return formats
    }()
}

extension DriverFormat {
    /// A format that libv4lconvert converts.
    private struct Conversion {
        var structure: PixelStructure
        var target: PixelFormat
        /// The format after packing into one memory plane.
        var packed: FourCC?
        var isGray = false
    }

    private static let conversions: [FourCC: Conversion] = {
        let packed422 = PixelFormat.yuyv.family.structure
        let planar420 = PixelFormat.yu12.family.structure
        let semiPlanar422 = PixelStructure([.init(), .init(pixels: 2, bytes: 2)])
        let gray16 = Conversion(structure: PixelStructure([.init(bytes: 2)]), target: .yu12, isGray: true)
        let packed10 = PixelStructure([.init(pixels: 4, bytes: 5)])
        var table: [FourCC: Conversion] = [
            FourCC("NV16"): Conversion(structure: semiPlanar422, target: .yu12),
            FourCC("NV61"): Conversion(structure: semiPlanar422, target: .yu12),
            FourCC("NM16"): Conversion(structure: semiPlanar422, target: .yu12, packed: FourCC("NV16")),
            FourCC("NM61"): Conversion(structure: semiPlanar422, target: .yu12, packed: FourCC("NV61")),
            FourCC("Y16"): gray16, FourCC("Y16").bigEndian: gray16,
            FourCC("Y10B"): Conversion(structure: packed10, target: .yu12, isGray: true),
        ]
        if let packed422 { table[FourCC("YVYU")] = Conversion(structure: packed422, target: .yu12) }
        if let planar420 {
            table[FourCC("YV12")] = Conversion(structure: planar420, target: .yu12)
            table[FourCC("YM21")] = Conversion(structure: planar420, target: .yu12, packed: FourCC("YV12"))
        }
        for (name, bytes) in [("BGR3", 3), ("RGBP", 2), ("BGR4", 4), ("RGB4", 4)] + alphaFormats {
            table[FourCC(name)] = Conversion(structure: PixelStructure([.init(bytes: bytes)]), target: .rgb24)
        }
        return table
    }()

    /// Formats with four bytes per pixel, one of them alpha or unused.
    private static let alphaFormats = [("AR24", 4), ("XR24", 4), ("BA24", 4), ("BX24", 4)]
}
