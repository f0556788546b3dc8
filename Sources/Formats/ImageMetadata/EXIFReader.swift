/// Reads single values of a still's Exif block, for untrusted bytes.
public enum EXIFReader {
    /// How the image is to be turned; nil where its Exif block does not say it in a way that is known.
    ///
    /// - Parameter start: The image or as much of its beginning as holds its header.
    /// - Throws: ``JPEGProblem`` where the header is malformed or does not end within the bytes.
    public static func orientation(in start: [UInt8]) throws(JPEGProblem) -> EXIFOrientation? {
        guard let (reader, main) = try stream(in: start),
            let value = reader.directory(at: main).first(where: { $0.tag == 0x0112 })?.number
        else { return nil }
        return UInt16(exactly: value).flatMap(EXIFOrientation.init(rawValue:))
    }

    /// The identifier that pairs a still with its movie, from Apple's maker note; nil where there is none.
    ///
    /// - Parameter start: The image or as much of its beginning as holds its header.
    /// - Throws: ``JPEGProblem`` where the header is malformed or does not end within the bytes.
    public static func contentIdentifier(in start: [UInt8]) throws(JPEGProblem) -> String? {
        guard let (reader, main) = try stream(in: start),
            let exif = reader.directory(at: main).first(where: { $0.tag == 0x8769 })?.number,
            let note = reader.directory(at: exif).first(where: { $0.tag == AppleMakerNote.tag })
        else { return nil }
        return AppleMakerNote.contentIdentifier(in: note.value)
    }

    /// The TIFF stream of the Exif block, and where its first directory stands; nil where there is none.
    private static func stream(in start: [UInt8]) throws(JPEGProblem) -> (reader: TIFFReader, directory: Int)? {
        var header = JPEGHeaderParser()
        try header.parse(start.span)
        let name = Array("Exif\0\0".utf8)
        let segment = header.segments.first {
            $0.marker == JPEGMarker.app1 && start[$0.payload].starts(with: name)
        }
        return segment.flatMap { TIFFReader.stream(Array(start[$0.payload].dropFirst(name.count))) }
    }
}
