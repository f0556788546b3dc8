/// The Huffman tables of ITU-T T.81, annex K.3, which Motion JPEG streams assume and omit.
enum StandardHuffmanTables {
    /// The names of the four tables: class (0 DC, 1 AC) times 16 plus index.
    static let names: Set<UInt8> = [0x00, 0x10, 0x01, 0x11]

    /// A DHT segment of 420 bytes, including marker and length, that defines all four.
    static let segment: [UInt8] = {
        let tables = [lumaDC, lumaAC, chromaDC, chromaAC].flatMap { [$0.name] + $0.counts + $0.symbols }
        let length = UInt16(tables.count + 2)
        return [0xFF, JPEGMarker.huffmanTables, UInt8(length >> 8), UInt8(length & 0xFF)] + tables
    }()

    /// One table, as in a DHT segment.
    private struct Table {
        let name: UInt8
        /// Number of codes of each length, 1 to 16 bits.
        let counts: [UInt8]
        /// The coded values, in order of code length.
        let symbols: [UInt8]
    }

    /// Table K.3.
    private static let lumaDC = Table(
        name: 0x00, counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
        symbols: [
            0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B,
        ])

    /// Table K.5.
    private static let lumaAC = Table(
        name: 0x10, counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
        symbols: [
            0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07,
            0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0,
            0x24, 0x33, 0x62, 0x72, 0x82, 0x09, 0x0A, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x25, 0x26, 0x27, 0x28,
            0x29, 0x2A, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49,
            0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69,
            0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89,
            0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7,
            0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC2, 0xC3, 0xC4, 0xC5,
            0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA, 0xE1, 0xE2,
            0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8,
            0xF9, 0xFA,
        ])

    /// Table K.4.
    private static let chromaDC = Table(
        name: 0x01, counts: [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
        symbols: [
            0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B,
        ])

    /// Table K.6.
    private static let chromaAC = Table(
        name: 0x11, counts: [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119],
        symbols: [
            0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71,
            0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33, 0x52, 0xF0,
            0x15, 0x62, 0x72, 0xD1, 0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1, 0x17, 0x18, 0x19, 0x1A, 0x26,
            0x27, 0x28, 0x29, 0x2A, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48,
            0x49, 0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68,
            0x69, 0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87,
            0x88, 0x89, 0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2, 0xA3, 0xA4, 0xA5,
            0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC2, 0xC3,
            0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA,
            0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8,
            0xF9, 0xFA,
        ])
}

extension EXIFDescription {
    /// Returns the APP1 segment, including marker and length.
    ///
    /// - Parameter frame: Provides the pixel size if the description has none, and the color components.
    /// - Throws: ``JPEGProblem/metadataTooLarge(byteCount:)`` above 65533 bytes.
    public func segment(for frame: JPEGFrame) throws(JPEGProblem) -> [UInt8] {
        let content = Array("Exif".utf8) + [0, 0] + tiff(for: frame)
        guard content.count <= 65533 else { throw .metadataTooLarge(byteCount: content.count) }
        var segment: [UInt8] = [0xFF, JPEGMarker.app1]
        segment.appendBigEndian(UInt16(content.count + 2))
        return segment + content
    }

    /// Returns a big-endian TIFF stream: header, IFD0 and Exif IFD, followed by IFD1 and the thumbnail if there is one.
    private func tiff(for frame: JPEGFrame) -> [UInt8] {
        var header: [UInt8] = Array("MM".utf8)
        header.appendBigEndian(UInt16(42))
        header.appendBigEndian(UInt32(8))
        var main = mainDirectory(for: frame)
        let exif = exifDirectory(for: frame)
        let start = UInt32(header.count)
        let exifOffset = start + UInt32(main.byteCount + TIFFDirectory.entrySize)
        main.add(.long(0x8769, exifOffset))
        let end = exifOffset + UInt32(exif.byteCount)
        let tables = header + main.serialized(at: start, next: thumbnail == nil ? 0 : end)
        return tables + exif.serialized(at: exifOffset) + thumbnailBytes(at: end)
    }

    /// Returns IFD1 and the thumbnail after it; empty if there is none.
    private func thumbnailBytes(at start: UInt32) -> [UInt8] {
        guard let thumbnail else { return [] }
        var directory = TIFFDirectory()
        // 6: JPEG.
        directory.add(.short(0x0103, 6))
        addPrintSize(to: &directory)
        let offset = start + UInt32(directory.byteCount + 2 * TIFFDirectory.entrySize)
        directory.add(.long(0x0201, offset))
        directory.add(.long(0x0202, UInt32(clamping: thumbnail.jpeg.count)))
        return directory.serialized(at: start) + thumbnail.jpeg
    }

    /// Adds the resolution. Cameras know no print size; the standard requires 72 per inch in this case.
    private func addPrintSize(to directory: inout TIFFDirectory) {
        directory.add(.rational(0x011A, EXIFRational(72, 1)))
        directory.add(.rational(0x011B, EXIFRational(72, 1)))
        directory.add(.short(0x0128, 2))
    }

    /// Returns the image's fields of IFD0, without pointers to other directories.
    /// - Parameter frame: nil if the directory's image is not a JPEG picture.
    package func mainDirectory(for frame: JPEGFrame?) -> TIFFDirectory {
        var directory = TIFFDirectory()
        directory.add(.text(0x010E, imageDescription))
        directory.add(.text(0x010F, make))
        directory.add(.text(0x0110, model))
        directory.add(.short(0x0112, orientation.rawValue))
        addPrintSize(to: &directory)
        directory.add(.text(0x0131, software))
        directory.add(.text(0x0132, originalDate?.dateTime))
        directory.add(frame.map { _ in .short(0x0213, 1) })
        return directory
    }

    /// Returns the image's fields of the Exif IFD.
    /// - Parameter frame: nil if the file has no JPEG picture. Then the description has the size of its image.
    package func exifDirectory(for frame: JPEGFrame?) -> TIFFDirectory {
        var directory = TIFFDirectory()
        directory.add(exposureTime.map { .rational(0x829A, $0) })
        directory.add(isoSpeed.map { .short(0x8827, $0) })
        // 2: recommended exposure index, the only kind of sensitivity that needs no measurement.
        directory.add(isoSpeed.map { _ in .short(0x8830, 2) })
        directory.add(isoSpeed.map { .long(0x8832, UInt32($0)) })
        // Version 2.32 has the offset tags and the serial number.
        directory.add(.bytes(0x9000, Array("0232".utf8)))
        addDates(to: &directory)
        directory.add(flash.map { .short(0x9209, $0.rawValue) })
        directory.add(frame.map { .bytes(0x9101, $0.components.count == 1 ? [1, 0, 0, 0] : [1, 2, 3, 0]) })
        directory.add(
            contentIdentifier.flatMap(AppleMakerNote.bytes).map { .bytes(AppleMakerNote.tag, $0) })
        directory.add(userComment.flatMap { TIFFEntry.comment(0x9286, $0) })
        directory.add(.bytes(0xA000, Array("0100".utf8)))
        directory.add(.short(0xA001, 1))
        directory.add(.long(0xA002, UInt32(clamping: pixelWidth ?? frame?.width ?? 0)))
        directory.add(.long(0xA003, UInt32(clamping: pixelHeight ?? frame?.height ?? 0)))
        directory.add(.text(0xA420, imageUniqueID))
        directory.add(.text(0xA431, bodySerialNumber))
        return directory
    }

    /// Adds the dates. A still is made when it is taken, so modification, original and digitization are equal.
    private func addDates(to directory: inout TIFFDirectory) {
        guard let date = originalDate else { return }
        directory.add(.text(0x9003, date.dateTime))
        directory.add(.text(0x9004, date.dateTime))
        for tag: UInt16 in 0x9010...0x9012 { directory.add(.text(tag, date.offset)) }
        for tag: UInt16 in 0x9290...0x9292 { directory.add(.text(tag, date.subSecond)) }
    }
}
