/// The beginning of a big-endian TIFF file whose first directory follows at once.
enum TIFFHeader {
    static let bytes: [UInt8] = Array("MM".utf8) + [0, 42, 0, 0, 0, 8]
}
