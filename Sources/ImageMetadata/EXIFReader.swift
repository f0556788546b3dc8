/// Reads single values of a still's Exif block, for untrusted bytes.
public enum EXIFReader {
    /// The identifier that pairs a still with its movie, from Apple's maker note; nil where there is none.
    ///
    /// - Parameter start: The image or as much of its beginning as holds its header.
    /// - Throws: ``JPEGProblem`` where the header is malformed or does not end within the bytes.
    public static func contentIdentifier(in start: [UInt8]) throws(JPEGProblem) -> String? {
        var header = JPEGHeaderParser()
        try header.parse(start.span)
        let name = Array("Exif\0\0".utf8)
        let segment = header.segments.first {
            $0.marker == JPEGMarker.app1 && start[$0.payload].starts(with: name)
        }
        guard let segment, let (reader, main) = TIFFReader.stream(Array(start[segment.payload].dropFirst(name.count))),
            let exif = reader.directory(at: main).first(where: { $0.tag == 0x8769 })?.number,
            let note = reader.directory(at: exif).first(where: { $0.tag == AppleMakerNote.tag })
        else { return nil }
        return AppleMakerNote.contentIdentifier(in: note.value)
    }
}
