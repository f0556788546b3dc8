/// What a folder holds under one name; symbolic links are told, not followed.
public struct FolderEntry: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case file
        case folder
        /// A symbolic link, socket, device or pipe.
        case other
    }

    public var name: String
    public var kind: Kind
    /// Length of a file in bytes; without meaning for the other kinds.
    public var byteCount: Int64
}
