internal import CaptureModel
internal import PosixSupport

/// What is in the tree of a library's small pictures, for any program. Every call blocks on the disk.
struct PreviewTree {
    let root: Folder

    /// Returns the complete small picture of a file; nil if there is none. What a power cut has left of one counts as none.
    func picture(_ picture: SmallPicture, of key: FileKey, day: String) throws(PosixError) -> [UInt8]? {
        let name = PreviewNames.picture(picture, of: key.kind)
        guard let folder = try folder(of: key, day: day), let entry = try folder.entry(name), entry.kind == .file,
            (4...Int64(SmallPicture.byteLimit)).contains(entry.byteCount)
        else { return nil }
        let bytes = try folder.read(name, limit: SmallPicture.byteLimit)
        return bytes.starts(with: [0xFF, 0xD8]) && bytes.suffix(2) == [0xFF, 0xD9] ? bytes : nil
    }

    /// Returns why a file has no small pictures; nil if it is not known to have none.
    func problem(of key: FileKey, day: String) throws(PosixError) -> String? {
        let name = PreviewNames.problem(of: key.kind)
        guard let folder = try folder(of: key, day: day), try has(name, in: folder) else { return nil }
        let text = String(decoding: try folder.read(name, limit: 16 << 10), as: UTF8.self)
        return text.last == "\n" ? String(text.dropLast()) : text
    }

    func has(_ name: String, in folder: Folder) throws(PosixError) -> Bool {
        guard let entry = try folder.entry(name) else { return false }
        return entry.kind == .file && entry.byteCount > 0
    }

    func folder(of key: FileKey, day: String) throws(PosixError) -> Folder? {
        try folder(PreviewNames.folder(of: key, day: day))
    }

    /// Returns the folder at these paths of plain names below the root, or nil.
    func folder(_ paths: [String]) throws(PosixError) -> Folder? {
        try root.folderIfPresent(paths.flatMap { $0.split(separator: "/").map(String.init) })
    }
}

/// The names in the tree of small pictures. All are built from validated ids.
enum PreviewNames {
    static let root = ".previews"
    /// The file with the stamp of the manifest from which a shot's small pictures were made.
    static let stamp = "made"

    static func folder(of key: FileKey, day: String) -> [String] {
        [day, key.capture.shot.description, key.capture.device.folderName]
    }

    static func picture(_ picture: SmallPicture, of kind: AssetKind) -> String {
        "\(kind.rawValue).\(picture.rawValue).jpg"
    }

    static func problem(of kind: AssetKind) -> String { "\(kind.rawValue).problem.txt" }
}
