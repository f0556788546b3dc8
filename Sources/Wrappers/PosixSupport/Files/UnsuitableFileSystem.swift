internal import CPosix
internal import Glibc

/// A folder on a file system that lacks what a program needs there.
public struct UnsuitableFileSystem: Error, Hashable, CustomStringConvertible {
    public var path: String
    /// What is kept in the folder, such as `the library`.
    public var contents: String
    /// How to configure another folder, as the end of a sentence.
    public var remedy: String
    /// What the file system refuses.
    public var cause: PosixError

    public var description: String {
        "the file system of \(path) cannot hold \(contents), since it does not do what publishing files needs: \(cause); \(remedy)"
    }
}
