import CameraKit
import Glibc
import ImageMetadata
import PosixSupport

/// The open folder or file of a recording.
struct RecordingSource: Sendable {
    private enum Kind {
        case folder(Folder)
        case file(OpenFile)
    }

    private let kind: Kind
    /// The path as the user wrote it.
    let path: String
    let listing: RecordingListing

    /// Opens `path` and lists its images without reading them. Blocks on the disk.
    init(path: String) throws(RecordingProblem) {
        self.path = path
        do throws(PosixError) {
            if let folder = try Self.folder(path) {
                listing = try RecordingListing(folder)
                kind = .folder(folder)
            } else {
                let file = try OpenFile(opening: path)
                listing = RecordingListing(names: [], versions: [try file.version()])
                kind = .file(file)
            }
        } catch {
            throw RecordingProblem(error)
        }
        try checkKinds()
    }

    /// Returns nil if `path` is not a folder.
    private static func folder(_ path: String) throws(PosixError) -> Folder? {
        do throws(PosixError) {
            return try Folder(opening: path)
        } catch {
            guard error.name == "ENOTDIR" else { throw error }
            return nil
        }
    }

    private func checkKinds() throws(RecordingProblem) {
        if isFolder, listing.names.isEmpty {
            throw RecordingProblem(
                .absent,
                "\(path) has no image: no name in it ends in .jpg or .jpeg; "
                    + "put the images there, or correct `path`")
        }
        guard let wrong = listing.versions.firstIndex(where: { !$0.isRegular }) else { return }
        throw RecordingProblem(
            .failed,
            "\(place(ofFile: wrong)) is not a regular file (links in a folder are not followed); "
                + "put a file of images there, or correct `path`")
    }

    var isFolder: Bool {
        if case .folder = kind { true } else { false }
    }

    /// Opens every file for reading and closes it again. Blocks on the disk.
    func checkReadable() throws(PosixError) {
        for index in listing.names.indices { _ = try read(file: index, at: 0, count: 0) }
    }

    /// Returns up to `count` bytes of a file; fewer at its end. Blocks on the disk.
    func read(file index: Int, at offset: Int64, count: Int) throws(PosixError) -> [UInt8] {
        switch kind {
        case .folder(let folder): try folder.open(listing.names[index], for: .reading).read(at: offset, count: count)
        case .file(let file): try file.read(at: offset, count: count)
        }
    }

    /// Returns the bytes of an image. Blocks on the disk.
    func read(_ image: Recording.Image) throws(PosixError) -> [UInt8] {
        try read(file: image.file, at: image.offset, count: image.byteCount)
    }

    /// Returns the name of a file for messages.
    func place(ofFile index: Int) -> String {
        switch kind {
        case .folder(let folder): folder.path(of: listing.names[index])
        case .file: path
        }
    }

    /// Returns the name of an image for messages.
    func place(of image: Recording.Image) -> String {
        isFolder ? place(ofFile: image.file) : "the image at byte \(image.offset) of \(path)"
    }
}

/// The order in which people number files: `img9` before `img10`, regardless of the number of digits.
enum NaturalOrder {
    /// Returns whether `left` is before `right`. Digits are compared as numbers, everything else byte by byte. Names
    /// that are equal in this way (`img1`, `img01`) are compared by their bytes.
    static func precedes(_ left: String, _ right: String) -> Bool {
        var (left8, right8) = (Array(left.utf8)[...], Array(right.utf8)[...])
        while let first = left8.first, let second = right8.first {
            if isDigit(first), isDigit(second) {
                let (number, other) = (parseNumber(&left8), parseNumber(&right8))
                if number.count != other.count { return number.count < other.count }
                if number != other { return number.lexicographicallyPrecedes(other) }
            } else {
                if first != second { return first < second }
                left8.removeFirst()
                right8.removeFirst()
            }
        }
        if left8.isEmpty != right8.isEmpty { return left8.isEmpty }
        return left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Removes the digits from the front and returns them without leading zeros.
    private static func parseNumber(_ text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = text.prefix(while: isDigit)
        text = text[digits.endIndex...]
        return digits.drop { $0 == UInt8(ascii: "0") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// The images of a recording, found and checked before the first is shown. It keeps no file open.
struct RecordingIndex: Sendable {
    /// The files of the images.
    let listing: RecordingListing
    /// The images in the order of play; at least one.
    let images: [Recording.Image]
    /// Pixels, the same for all images.
    let width: Int
    let height: Int
}

/// The files of a recording and the version of each, without reading them.
struct RecordingListing: Hashable, Sendable {
    /// The images' file names in the order of play; empty for a file of images.
    var names: [String]
    /// One for each name, or one for the file of images.
    var versions: [FileVersion]
}

extension RecordingListing {
    /// Lists the images in a folder: names that end in `.jpg` or `.jpeg`. Hidden files are ignored, because editors and
    /// file managers leave them behind.
    init(_ folder: Folder) throws(PosixError) {
        names = try folder.names().filter(Self.isImage).sorted(by: NaturalOrder.precedes)
        versions = try names.map { name throws(PosixError) in try folder.version(of: name) }
    }

    private static func isImage(_ name: String) -> Bool {
        !name.hasPrefix(".") && [".jpg", ".jpeg"].contains { name.lowercased().hasSuffix($0) }
    }
}
