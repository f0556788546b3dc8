import CDNG
public import ImageMetadata

/// A writer of DNG 1.4 files from mosaics: a preview for programs that do not develop the samples, the samples in a
/// subdirectory, and the metadata; without a preview the samples are in the first directory. `docs/raw.md` has the layout.
///
/// Calls block for the time of the compression.
public struct DNGWriter: Sendable {
    let description: EXIFDescription
    let color: RawColor

    /// - Parameter description: The metadata of the file. Its thumbnail is not used.
    public init(description: EXIFDescription, color: RawColor) {
        self.description = description
        self.color = color
    }

    /// Makes the DNG of a mosaic.
    /// - Parameters:
    ///   - preview: A complete JPEG of the picture, of any size; nil for none.
    ///   - compression: The compression to try. The file is never longer than without it.
    /// - Throws: ``DNGError``.
    public func file(
        _ mosaic: RawMosaic, preview: [UInt8]?, compression: DNGCompression = .losslessJPEG
    ) throws(DNGError) -> DNGFile {
        let preview = try preview.map { (jpeg) throws(DNGError) in try DNGPreview(jpeg) }
        let compressed =
            compression == .losslessJPEG ? LosslessJPEG.encode(mosaic, limit: Self.plainByteCount(of: mosaic)) : nil
        let strip = compressed ?? Self.plain(mosaic)
        let samples = RawDirectory(
            mosaic: mosaic, color: color, stripByteCount: strip.count, isCompressed: compressed != nil)
        let header = DNGDirectories(
            description: description, samples: samples, preview: preview
        ).serialized()
        guard UInt32(exactly: header.count + strip.count) != nil else {
            throw .tooLarge(byteCount: header.count + strip.count)
        }
        return DNGFile(pieces: [header, strip], compression: compressed == nil ? .none : .losslessJPEG)
    }

    /// Returns a file with only the samples and their colors, uncompressed: the input of a raw converter in the same process.
    public static func samplesAlone(of mosaic: RawMosaic, color: RawColor) -> [UInt8] {
        let strip = plain(mosaic)
        return RawDirectory(mosaic: mosaic, color: color, stripByteCount: strip.count, isCompressed: false)
            .fileHeader() + strip
    }

    private static func plainByteCount(of mosaic: RawMosaic) -> Int {
        mosaic.samples.count * (mosaic.bits > 8 ? 2 : 1)
    }

    private static func plain(_ mosaic: RawMosaic) -> [UInt8] {
        let count = plainByteCount(of: mosaic)
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { target, written in
            written = count
            unsafe mosaic.samples.withUnsafeBufferPointer { samples in
                guard let source = samples.baseAddress, let target = target.baseAddress else { return }
                if mosaic.bits > 8 {
                    unsafe caprig_raw_write_words(source, samples.count, target)
                } else {
                    unsafe caprig_raw_write_bytes(source, samples.count, target)
                }
            }
        }
    }
}

/// How the file stores the samples. Both are lossless.
public enum DNGCompression: String, Sendable, CaseIterable {
    /// Uncompressed: one byte per sample, or two for more than 8 bits.
    case none
    /// Lossless JPEG, or uncompressed if that is shorter.
    case losslessJPEG
}

/// All parts of a DNG before its samples: header, IFD0 with the preview, the samples' subdirectory, the Exif IFD, and the preview. Without
/// a preview, IFD0 is the samples' directory.
struct DNGDirectories {
    let description: EXIFDescription
    let samples: RawDirectory
    let preview: DNGPreview?

    /// The offset of each part from the file's start.
    private struct Offsets {
        var raw = 0
        var exif = 0
        var preview = 0
        var strip = 0
    }

    private static let start = TIFFHeader.bytes.count

    func serialized() -> [UInt8] {
        let offsets = offsets
        var bytes = TIFFHeader.bytes
        bytes += main(offsets).serialized(at: UInt32(Self.start))
        if preview != nil { bytes += raw(offsets).serialized(at: UInt32(clamping: offsets.raw)) }
        bytes += exif.serialized(at: UInt32(clamping: offsets.exif))
        bytes += preview?.jpeg ?? []
        return bytes + [UInt8](repeating: 0, count: offsets.strip - bytes.count)
    }

    /// The offset of each part. The length of an offset does not depend on its value, so the directories' lengths are
    /// known without the offsets.
    private var offsets: Offsets {
        var offsets = Offsets()
        offsets.raw = Self.start + main(offsets).byteCount
        offsets.exif = offsets.raw + (preview == nil ? 0 : raw(offsets).byteCount)
        offsets.preview = offsets.exif + exif.byteCount
        let end = offsets.preview + (preview?.jpeg.count ?? 0)
        offsets.strip = end + end % 2
        return offsets
    }

    private func main(_ offsets: Offsets) -> TIFFDirectory {
        var directory = description.mainDirectory(for: preview?.frame)
        for field in preview?.fields(at: offsets.preview) ?? samples.fields(at: offsets.strip) { directory.add(field) }
        directory.add(preview.map { _ in .long(0x014A, UInt32(clamping: offsets.raw)) })
        directory.add(.long(0x8769, UInt32(clamping: offsets.exif)))
        directory.add(.text(0xC614, cameraModel))
        directory.add(.text(0xC62F, description.bodySerialNumber))
        directory.add(rawDataUniqueID.map { .octets(0xC65D, $0) })
        for field in samples.color.fields { directory.add(field) }
        return directory
    }

    private func raw(_ offsets: Offsets) -> TIFFDirectory {
        var directory = TIFFDirectory()
        for field in samples.fields(at: offsets.strip) { directory.add(field) }
        return directory
    }

    private var exif: TIFFDirectory {
        var description = description
        (description.pixelWidth, description.pixelHeight) = (samples.mosaic.width, samples.mosaic.height)
        return description.exifDirectory(for: preview?.frame)
    }

    /// The value of UniqueCameraModel: make and model as one name.
    private var cameraModel: String {
        let words = [description.make, description.model].compactMap(\.self).filter { !$0.isEmpty }
        return words.isEmpty ? "Unknown camera" : words.joined(separator: " ")
    }

    /// The image's unique id as 16 bytes, if it has this form.
    private var rawDataUniqueID: [UInt8]? {
        guard let digits = description.imageUniqueID.map({ Array($0.utf8) }), digits.count == 32 else { return nil }
        let bytes = stride(from: 0, to: 32, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
        }
        return bytes.count == 16 ? bytes : nil
    }
}

/// A complete DNG, ready to be written.
public struct DNGFile: Sendable {
    /// The file's bytes in consecutive pieces: everything before the samples, then the samples.
    public let pieces: [[UInt8]]
    /// The compression that was used; `none` if lossless JPEG would be longer.
    public let compression: DNGCompression

    public var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }
}

/// The JPEG that a DNG shows to programs that do not develop it.
struct DNGPreview {
    /// A complete JPEG without application data.
    let jpeg: [UInt8]
    let frame: JPEGFrame

    init(_ jpeg: [UInt8]) throws(DNGError) {
        do {
            self.jpeg = try JPEGRewriter.withoutApplicationData(jpeg.span)
            frame = try JPEGStructure(parsing: jpeg.span).frame
        } catch {
            throw .invalidPreview("\(error)")
        }
    }

    /// Returns the fields of IFD0 that describe it.
    func fields(at offset: Int) -> [TIFFEntry] {
        let components = UInt16(clamping: frame.components.count)
        let isColor = components == 3
        return [
            .long(0x00FE, 1), .long(0x0100, UInt32(clamping: frame.width)),
            .long(0x0101, UInt32(clamping: frame.height)),
            .shorts(0x0102, [UInt16](repeating: 8, count: frame.components.count)),
            // 7: JPEG. 6: YCbCr. 1: gray.
            .short(0x0103, 7), .short(0x0106, isColor ? 6 : 1), .long(0x0111, UInt32(clamping: offset)),
            .short(0x0115, components), .long(0x0116, UInt32(clamping: frame.height)),
            .long(0x0117, UInt32(clamping: jpeg.count)), .short(0x011C, 1),
        ] + (isColor ? chroma : [])
    }

    /// The subsampling of chroma, and the numbers for black and white.
    private var chroma: [TIFFEntry] {
        let luma = frame.components.first
        let limits: [UInt32] = [0, 255, 128, 255, 128, 255]
        return [
            .shorts(0x0212, [UInt16(luma?.horizontalSampling ?? 1), UInt16(luma?.verticalSampling ?? 1)]),
            .rationals(0x0214, limits.map { EXIFRational($0, 1) }),
        ]
    }
}
