import ImageMetadata

/// Everything of a DNG in front of its samples: header, IFD0 with the preview, the samples' subdirectory, the Exif IFD,
/// and the preview.
struct DNGDirectories {
    let description: EXIFDescription
    let samples: RawDirectory
    let preview: DNGPreview

    /// Where each part begins, from the file's start.
    private struct Offsets {
        var raw = 0
        var exif = 0
        var preview = 0
        var strip = 0
    }

    private static let start = TIFFHeader.bytes.count

    func serialized() -> [UInt8] {
        let offsets = offsets
        var bytes = TIFFHeader.bytes
        bytes += main(offsets).serialized(at: UInt32(Self.start))
        bytes += raw(offsets).serialized(at: UInt32(clamping: offsets.raw))
        bytes += exif.serialized(at: UInt32(clamping: offsets.exif))
        bytes += preview.jpeg
        return bytes + [UInt8](repeating: 0, count: offsets.strip - bytes.count)
    }

    /// Offsets have the same length whatever they are, so the directories tell their lengths without them.
    private var offsets: Offsets {
        var offsets = Offsets()
        offsets.raw = Self.start + main(offsets).byteCount
        offsets.exif = offsets.raw + raw(offsets).byteCount
        offsets.preview = offsets.exif + exif.byteCount
        let end = offsets.preview + preview.jpeg.count
        offsets.strip = end + end % 2
        return offsets
    }

    private func main(_ offsets: Offsets) -> TIFFDirectory {
        var directory = description.mainDirectory(for: preview.frame)
        for field in preview.fields(at: offsets.preview) { directory.add(field) }
        directory.add(.long(0x014A, UInt32(clamping: offsets.raw)))
        directory.add(.long(0x8769, UInt32(clamping: offsets.exif)))
        directory.add(.text(0xC614, cameraModel))
        directory.add(.text(0xC62F, description.bodySerialNumber))
        directory.add(rawDataUniqueID.map { .octets(0xC65D, $0) })
        for field in samples.colour.fields { directory.add(field) }
        return directory
    }

    private func raw(_ offsets: Offsets) -> TIFFDirectory {
        var directory = TIFFDirectory()
        for field in samples.fields(at: offsets.strip) { directory.add(field) }
        return directory
    }

    private var exif: TIFFDirectory {
        var description = description
        (description.pixelWidth, description.pixelHeight) = (samples.mosaic.width, samples.mosaic.height)
        return description.exifDirectory(for: preview.frame)
    }

    /// What DNG wants as the one name of a camera's make and model.
    private var cameraModel: String {
        let words = [description.make, description.model].compactMap(\.self).filter { !$0.isEmpty }
        return words.isEmpty ? "Unknown camera" : words.joined(separator: " ")
    }

    /// The image's unique id as 16 bytes, where it is one.
    private var rawDataUniqueID: [UInt8]? {
        guard let digits = description.imageUniqueID.map({ Array($0.utf8) }), digits.count == 32 else { return nil }
        let bytes = stride(from: 0, to: 32, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
        }
        return bytes.count == 16 ? bytes : nil
    }
}
