/// The JPEG that a TIFF stream, such as a DNG, shows as its small picture.
public enum TIFFPreview {
    /// Where the JPEG of the first directory lies in the file; nil where it has none in one piece. For untrusted bytes.
    /// - Parameter start: The file's beginning, as much of it as holds its first directory.
    public static func jpeg(in start: [UInt8]) -> (offset: Int64, byteCount: Int)? {
        guard let (reader, main) = TIFFReader.stream(start) else { return nil }
        let fields = reader.directory(at: main)
        func number(_ tag: UInt16) -> Int? { fields.first { $0.tag == tag }?.number }
        let (compression, strips, counts): (UInt16, UInt16, UInt16) = (0x103, 0x111, 0x117)
        guard number(compression) == 7, let offset = number(strips), let byteCount = number(counts), byteCount > 0
        else { return nil }
        return (Int64(offset), byteCount)
    }
}
