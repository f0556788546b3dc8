import CameraKit
import PosixSupport

/// The open folder or file of a recording.
struct RecordingSource: Sendable {
    private enum Kind {
        case folder(Folder)
        case file(OpenFile)
    }

    private let kind: Kind
    /// As the user named it.
    let path: String
    let listing: RecordingListing

    /// Opens what `path` names and lists its images without reading them. Blocks on the disk.
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

    /// Nil where `path` names no folder.
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
                "\(path) holds no image: no name in it ends in .jpg or .jpeg; "
                    + "put the images there, or correct `path`")
        }
        guard let wrong = listing.versions.firstIndex(where: { !$0.isRegular }) else { return }
        throw RecordingProblem(
            .failed,
            "\(place(ofFile: wrong)) is no regular file (links in a folder are not followed); "
                + "put a file of images there, or correct `path`")
    }

    var isFolder: Bool {
        if case .folder = kind { true } else { false }
    }

    /// Opens every file for reading and closes it again. Blocks on the disk.
    func checkReadable() throws(PosixError) {
        for index in listing.names.indices { _ = try read(file: index, at: 0, count: 0) }
    }

    /// Up to `count` bytes of a file; fewer at its end. Blocks on the disk.
    func read(file index: Int, at offset: Int64, count: Int) throws(PosixError) -> [UInt8] {
        switch kind {
        case .folder(let folder): try folder.open(listing.names[index], for: .reading).read(at: offset, count: count)
        case .file(let file): try file.read(at: offset, count: count)
        }
    }

    /// The bytes of an image. Blocks on the disk.
    func read(_ image: Recording.Image) throws(PosixError) -> [UInt8] {
        try read(file: image.file, at: image.offset, count: image.byteCount)
    }

    /// A file, as messages call it.
    func place(ofFile index: Int) -> String {
        switch kind {
        case .folder(let folder): folder.path(of: listing.names[index])
        case .file: path
        }
    }

    /// An image, as messages call it.
    func place(of image: Recording.Image) -> String {
        isFolder ? place(ofFile: image.file) : "the image at byte \(image.offset) of \(path)"
    }
}
