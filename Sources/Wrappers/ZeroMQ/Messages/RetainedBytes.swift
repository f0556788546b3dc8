/// Memory of somebody else's, and the owner that keeps it valid.
///
/// Guard for `@unchecked Sendable`: both fields are constant, and the maker of the part has promised that the memory does
/// not change while the owner lives.
@safe final class RetainedBytes: @unchecked Sendable {
    private let owner: any Sendable & AnyObject
    private let buffer: UnsafeRawBufferPointer

    init(owner: any Sendable & AnyObject, bytes: UnsafeRawBufferPointer) {
        self.owner = owner
        unsafe buffer = unsafe bytes
    }

    var count: Int { unsafe buffer.count }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        defer { withExtendedLifetime(owner) {} }
        return try unsafe body(buffer)
    }
}
