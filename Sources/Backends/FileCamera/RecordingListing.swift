import PosixSupport

/// The files of a recording and which content each has, without having read them.
struct RecordingListing: Hashable, Sendable {
    /// The images' file names in the order of play; empty for a file of images.
    var names: [String]
    /// One for each name, or the one of the file of images.
    var versions: [FileVersion]
}

extension RecordingListing {
    /// The images in a folder: names that end in `.jpg` or `.jpeg`. Hidden ones are nobody's: editors and file managers
    /// leave them behind.
    init(_ folder: Folder) throws(PosixError) {
        names = try folder.names().filter(Self.isImage).sorted(by: NaturalOrder.precedes)
        versions = try names.map { name throws(PosixError) in try folder.version(of: name) }
    }

    private static func isImage(_ name: String) -> Bool {
        !name.hasPrefix(".") && [".jpg", ".jpeg"].contains { name.lowercased().hasSuffix($0) }
    }
}
