internal import PosixSupport

extension Library {
    /// The library's folder.
    public nonisolated var path: String { root.path }

    /// Bytes free on its disk; nil where it cannot be asked.
    public func freeBytes() -> Int64? { try? root.freeBytes() }
}
