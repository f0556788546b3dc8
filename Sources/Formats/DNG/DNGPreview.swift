import ImageMetadata

/// The JPEG that a DNG shows to programs that do not develop it.
struct DNGPreview {
    /// A whole JPEG without application data.
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

    /// The fields of IFD0 that describe it.
    func fields(at offset: Int) -> [TIFFEntry] {
        let components = UInt16(clamping: frame.components.count)
        let isColour = components == 3
        return [
            .long(0x00FE, 1), .long(0x0100, UInt32(clamping: frame.width)),
            .long(0x0101, UInt32(clamping: frame.height)),
            .shorts(0x0102, [UInt16](repeating: 8, count: frame.components.count)),
            // 7: JPEG. 6: YCbCr. 1: gray.
            .short(0x0103, 7), .short(0x0106, isColour ? 6 : 1), .long(0x0111, UInt32(clamping: offset)),
            .short(0x0115, components), .long(0x0116, UInt32(clamping: frame.height)),
            .long(0x0117, UInt32(clamping: jpeg.count)), .short(0x011C, 1),
        ] + (isColour ? chroma : [])
    }

    /// How chroma is sampled, and which numbers are black and white.
    private var chroma: [TIFFEntry] {
        let luma = frame.components.first
        let limits: [UInt32] = [0, 255, 128, 255, 128, 255]
        return [
            .shorts(0x0212, [UInt16(luma?.horizontalSampling ?? 1), UInt16(luma?.verticalSampling ?? 1)]),
            .rationals(0x0214, limits.map { EXIFRational($0, 1) }),
        ]
    }
}
