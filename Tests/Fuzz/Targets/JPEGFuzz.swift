import ImageMetadata

/// The bytes of a camera's JPEG, and the still that is made of them.
enum JPEGFuzz {
    static func run(_ bytes: [UInt8]) throws {
        try end(bytes)
        guard let structure = try? JPEGStructure(parsing: bytes) else { return }
        _ = structure.frame.unitCount
        try FuzzFinding.unless(structure.endOffset <= bytes.count, "the image ends behind its bytes")
        let exif = try description(bytes)
        let still: [UInt8]
        do throws(JPEGProblem) {
            still = try JPEGRewriter.stillBytes(from: bytes, exif: exif)
        } catch {
            guard case .metadataTooLarge = error else { throw FuzzFinding(description: "there is no still: \(error)") }
            return
        }
        try check(still, of: bytes)
        let bare = try JPEGRewriter.withoutApplicationData(bytes.span)
        try FuzzFinding.unless(
            try JPEGRewriter.pixelBytes(of: bare) == JPEGRewriter.pixelBytes(of: bytes), "a thumbnail has other pixels")
    }

    private static func check(_ still: [UInt8], of frame: [UInt8]) throws {
        let structure = try JPEGStructure(parsing: still)
        try FuzzFinding.unless(structure.segments.first?.marker == 0xE1, "the still does not begin with Exif")
        try FuzzFinding.unless(!structure.lacksHuffmanTables, "the still lacks Huffman tables")
        try FuzzFinding.unless(structure.endOffset == still.count, "the still has bytes behind its image")
        let original = try JPEGStructure(parsing: frame)
        try FuzzFinding.unless(structure.frame == original.frame, "the still has another size")
        try FuzzFinding.unless(
            try JPEGRewriter.pixelBytes(of: still) == JPEGRewriter.pixelBytes(of: frame), "the still has other pixels")
        try FuzzFinding.unless(
            try JPEGRewriter.stillBytes(from: still, exif: EXIFDescription())
                == JPEGRewriter.stillBytes(from: frame, exif: EXIFDescription()), "a still of a still is another")
    }

    private static func end(_ bytes: [UInt8]) throws {
        guard let structure = try? JPEGStructure(parsing: bytes) else { return }
        let end = structure.endOffset
        try FuzzFinding.unless((4...bytes.count).contains(end), "an image ends outside of its bytes")
        let again = try JPEGStructure(parsing: Array(bytes.prefix(end)))
        try FuzzFinding.unless(again.endOffset == end, "an image ends elsewhere without what follows")
        guard structure.hasEndMarker else { return }
        let isWhole = (try? JPEGStructure(parsing: Array(bytes.prefix(end - 1)), isContinued: true)) != nil
        try FuzzFinding.unless(!isWhole, "an image without its end is whole")
    }

    /// A description whose texts and numbers are the input's last bytes.
    private static func description(_ bytes: [UInt8]) throws -> EXIFDescription {
        var input = FuzzInput(Array(bytes.suffix(64)))
        let date = EXIFTimestamp(realtimeNanoseconds: input.number(), utcOffsetMinutes: Int(input.number(Int32.self)))
        let exposure = EXIFRational(secondsFromNanoseconds: input.number())
        let text = String(decoding: input.remainder, as: UTF8.self)
        return EXIFDescription(
            make: text, imageUniqueID: text, userComment: text, originalDate: date, exposureTime: exposure,
            isoSpeed: input.number(), pixelWidth: Int(input.number(Int32.self)), thumbnail: try? EXIFThumbnail(bytes))
    }
}
