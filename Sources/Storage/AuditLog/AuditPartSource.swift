/// Where parts of the files of an audit log are read: a folder, or a coordinator that has one.
public protocol AuditPartSource: Sendable {
    /// The number of the first record of each file, 1 to 2⁵³.
    func files() async throws -> [UInt64]
    /// Returns the length of the file that begins with a record; nil if the writer has removed it.
    func byteCount(of file: UInt64) async throws -> Int64?
    /// Returns at most ``AuditBackwardReader/partByteCount`` bytes of a file; nil if the writer has removed it.
    func read(_ file: UInt64, at offset: Int64) async throws -> [UInt8]?
}
