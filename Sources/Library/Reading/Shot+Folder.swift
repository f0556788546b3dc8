public import CaptureModel

extension Shot {
    /// The shot's folder inside the library: `YYYY/MM/DD/<shot>`.
    public var libraryFolder: String {
        LibraryNames.folders(of: self).joined(separator: "/")
    }
}
