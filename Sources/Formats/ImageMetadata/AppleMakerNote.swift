/// The part of Apple's maker note that pairs a still with its movie: tag 0x0011, a UUID as text.
///
/// A big-endian TIFF directory whose offsets count from the note's first byte, so that it survives being moved.
public enum AppleMakerNote {
    /// The EXIF tag that the note is the value of.
    static let tag: UInt16 = 0x927C
    private static let signature: [UInt8] = Array("Apple iOS".utf8) + [0, 0, 1] + Array("MM".utf8)
    private static let contentIdentifierTag: UInt16 = 0x0011

    /// The note's bytes: 69 for a UUID of 36 characters; nil where nothing printable is left of the identifier.
    public static func bytes(contentIdentifier: String) -> [UInt8]? {
        guard let entry = TIFFEntry.text(contentIdentifierTag, contentIdentifier) else { return nil }
        var directory = TIFFDirectory()
        directory.add(entry)
        let stored = directory.serialized(at: UInt32(signature.count))
        // Without the byte that TIFF would fill up to an even length with.
        return signature + stored.prefix(stored.count - (entry.value.count > 4 ? entry.value.count % 2 : 0))
    }

    /// The identifier in a note; nil where there is none, or the bytes are no such note. For untrusted bytes.
    public static func contentIdentifier(in note: [UInt8]) -> String? {
        guard note.starts(with: signature) else { return nil }
        let directory = TIFFReader(note, isBigEndian: true).directory(at: signature.count)
        return directory.first { $0.tag == contentIdentifierTag }?.text
    }
}
