extension EXIFDescription {
    /// The APP1 segment, marker and length included.
    ///
    /// - Parameter frame: Gives the pixel size where the description has none, and the colour components.
    /// - Throws: ``JPEGProblem/metadataTooLarge(byteCount:)`` above 65533 bytes.
    public func segment(for frame: JPEGFrame) throws(JPEGProblem) -> [UInt8] {
        let content = Array("Exif".utf8) + [0, 0] + tiff(for: frame)
        guard content.count <= 65533 else { throw .metadataTooLarge(byteCount: content.count) }
        var segment: [UInt8] = [0xFF, JPEGMarker.app1]
        segment.appendBigEndian(UInt16(content.count + 2))
        return segment + content
    }

    /// A big-endian TIFF stream: header, IFD0, Exif IFD, and with a thumbnail IFD1 and the thumbnail.
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

    /// IFD1 and the thumbnail behind it; nothing where there is none.
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

    /// Cameras know no print size; 72 per inch is what the standard asks for then.
    private func addPrintSize(to directory: inout TIFFDirectory) {
        directory.add(.rational(0x011A, EXIFRational(72, 1)))
        directory.add(.rational(0x011B, EXIFRational(72, 1)))
        directory.add(.short(0x0128, 2))
    }

    /// What IFD0 says of the image, without pointers to other directories.
    package func mainDirectory(for frame: JPEGFrame) -> TIFFDirectory {
        var directory = TIFFDirectory()
        directory.add(.text(0x010E, imageDescription))
        directory.add(.text(0x010F, make))
        directory.add(.text(0x0110, model))
        directory.add(.short(0x0112, orientation.rawValue))
        addPrintSize(to: &directory)
        directory.add(.text(0x0131, software))
        directory.add(.text(0x0132, originalDate?.dateTime))
        directory.add(.short(0x0213, 1))
        return directory
    }

    /// What the Exif IFD says of it.
    package func exifDirectory(for frame: JPEGFrame) -> TIFFDirectory {
        var directory = TIFFDirectory()
        directory.add(exposureTime.map { .rational(0x829A, $0) })
        directory.add(isoSpeed.map { .short(0x8827, $0) })
        // 2: recommended exposure index, the only kind of sensitivity that needs no measurement.
        directory.add(isoSpeed.map { _ in .short(0x8830, 2) })
        directory.add(isoSpeed.map { .long(0x8832, UInt32($0)) })
        // 2.32 knows the offset tags and the serial number.
        directory.add(.bytes(0x9000, Array("0232".utf8)))
        addDates(to: &directory)
        directory.add(flash.map { .short(0x9209, $0.rawValue) })
        directory.add(.bytes(0x9101, frame.components.count == 1 ? [1, 0, 0, 0] : [1, 2, 3, 0]))
        directory.add(
            contentIdentifier.flatMap(AppleMakerNote.bytes).map { .bytes(AppleMakerNote.tag, $0) })
        directory.add(userComment.flatMap { TIFFEntry.comment(0x9286, $0) })
        directory.add(.bytes(0xA000, Array("0100".utf8)))
        directory.add(.short(0xA001, 1))
        directory.add(.long(0xA002, UInt32(clamping: pixelWidth ?? frame.width)))
        directory.add(.long(0xA003, UInt32(clamping: pixelHeight ?? frame.height)))
        directory.add(.text(0xA420, imageUniqueID))
        directory.add(.text(0xA431, bodySerialNumber))
        return directory
    }

    /// A still from a camera is made when it is taken, so modification, original and digitization agree.
    private func addDates(to directory: inout TIFFDirectory) {
        guard let date = originalDate else { return }
        directory.add(.text(0x9003, date.dateTime))
        directory.add(.text(0x9004, date.dateTime))
        for tag: UInt16 in 0x9010...0x9012 { directory.add(.text(tag, date.offset)) }
        for tag: UInt16 in 0x9290...0x9292 { directory.add(.text(tag, date.subSecond)) }
    }
}
