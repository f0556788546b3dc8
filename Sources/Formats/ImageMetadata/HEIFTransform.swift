/// Has viewers turn the picture of a HEIF file (ISO/IEC 23008-12), whose pixels are as the camera gave them.
///
/// Viewers of HEIF follow its own properties `irot` and `imir` and take no notice of the Exif tag Orientation, which stays
/// beside them as Apple's cameras have it. Bytes are untrusted.
public enum HEIFTransform {
    /// The file with the properties that mean the same as the Exif orientation.
    /// - Parameter file: As an encoder of one picture writes it: `meta` in front of the data, no such property yet.
    /// - Throws: ``HEIFProblem`` where it is built otherwise, or is cut off, also where nothing is to be turned.
    public static func turned(_ file: [UInt8], as orientation: EXIFOrientation) throws(HEIFProblem) -> [UInt8] {
        let boxes = try HEIFBox.children(of: file, in: 0..<file.count)
        guard let meta = boxes.first(where: { $0.type == "meta" }) else { throw HEIFProblem("it has no meta box") }
        guard boxes.contains(where: { $0.type == "mdat" }) else { throw HEIFProblem("it has no data") }
        let properties = properties(of: orientation)
        guard !properties.isEmpty else { return file }
        var header = try HEIFHeader(file, meta)
        try header.add(properties)
        let growth = properties.reduce(0) { $0 + $1.count + 1 }
        try header.moveData(behind: meta.range.upperBound, by: growth)
        let grown = header.serialized()
        guard grown.count == meta.range.count + growth else { throw HEIFProblem("its properties take wide numbers") }
        return Array(file[..<meta.range.lowerBound]) + grown + Array(file[meta.range.upperBound...])
    }

    /// The boxes, in the order in which viewers apply them: quarter turns to the left, then an exchange of left and right.
    private static func properties(of orientation: EXIFOrientation) -> [[UInt8]] {
        let (quarters, isMirrored): (UInt8, Bool) =
            switch orientation {
            case .up: (0, false)
            case .upMirrored: (0, true)
            case .right: (3, false)
            case .leftMirrored: (3, true)
            case .down: (2, false)
            case .downMirrored: (2, true)
            case .left: (1, false)
            case .rightMirrored: (1, true)
            }
        return (quarters == 0 ? [] : [HEIFBox.bytes("irot", [quarters])])
            + (isMirrored ? [HEIFBox.bytes("imir", [1])] : [])
    }
}

/// How a HEIF file is built that cannot be dealt with.
public struct HEIFProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = "the HEIF file cannot be used: \(description)"
    }
}
