public import CaptureModel
internal import PosixSupport

extension Library {
    /// The library's folder.
    public nonisolated var path: String { root.path }

    /// Whether the library has a folder of this shot, with or without a manifest that can be read.
    public func contains(_ id: ShotID) -> Bool { folderNames(of: id) != nil }

    /// Bytes free on its disk; nil where it cannot be asked.
    public func freeBytes() -> Int64? { try? root.freeBytes() }
}
