import CDNG
public import ImageMetadata

/// Makes DNG 1.4 files of mosaics: a preview for programs that only look, the samples in a subdirectory, and what the
/// picture says about itself. `docs/raw.md` has the layout.
///
/// Calls block for the time of the compression.
public struct DNGWriter: Sendable {
    let description: EXIFDescription
    let colour: RawColour

    /// - Parameter description: What the file says about itself; its thumbnail is not used.
    public init(description: EXIFDescription, colour: RawColour) {
        self.description = description
        self.colour = colour
    }

    /// - Parameters:
    ///   - preview: A whole JPEG of the picture, of any size.
    ///   - compression: What is tried. The file is never longer than it would be without.
    /// - Throws: ``DNGError``.
    public func file(
        _ mosaic: RawMosaic, preview: [UInt8], compression: DNGCompression = .losslessJPEG
    ) throws(DNGError) -> DNGFile {
        let compressed =
            compression == .losslessJPEG ? LosslessJPEG.encode(mosaic, limit: Self.plainByteCount(of: mosaic)) : nil
        let strip = compressed ?? Self.plain(mosaic)
        let samples = RawDirectory(
            mosaic: mosaic, colour: colour, stripByteCount: strip.count, isCompressed: compressed != nil)
        let header = DNGDirectories(
            description: description, samples: samples, preview: try DNGPreview(preview)
        ).serialized()
        guard UInt32(exactly: header.count + strip.count) != nil else {
            throw .tooLarge(byteCount: header.count + strip.count)
        }
        return DNGFile(pieces: [header, strip], compression: compressed == nil ? .none : .losslessJPEG)
    }

    /// A file of the samples and their colours alone, not compressed: what a raw converter in the same process needs.
    public static func samplesAlone(of mosaic: RawMosaic, colour: RawColour) -> [UInt8] {
        let strip = plain(mosaic)
        return RawDirectory(mosaic: mosaic, colour: colour, stripByteCount: strip.count, isCompressed: false)
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
