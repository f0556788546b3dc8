/// Borrowed pixel data of one frame. Dropping the last reference gives a driver's buffer back to its camera.
///
/// A lease is immutable and may be read from any thread.
public final class FrameLease: Sendable {
    // The guard of the unchecked conformance: the bytes are written before the lease is made, never after, and stay
    // mapped until `release` has been called, which happens once, in deinit.
    @safe private enum Storage: @unchecked Sendable {
        case owned([UInt8])
        case borrowed(UnsafeRawBufferPointer, release: @Sendable () -> Void)
    }

    private let storage: Storage

    /// A lease on bytes that belong to no driver.
    public init(_ bytes: [UInt8]) {
        storage = .owned(bytes)
    }

    /// A lease on a driver's buffer.
    /// - Parameters:
    ///   - buffer: Bytes that stay valid and unchanged until `release` is called.
    ///   - release: Called once, on any thread, when the lease ends; must not block.
    public init(borrowing buffer: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void) {
        storage = unsafe .borrowed(buffer, release: release)
    }

    deinit {
        if case .borrowed(_, let release) = storage {
            release()
        }
    }

    /// Number of bytes of pixel data.
    public var byteCount: Int {
        switch storage {
        case .owned(let bytes): bytes.count
        case .borrowed(let buffer, _): buffer.count
        }
    }

    /// Calls `body` with the pixel data, which is valid only within the call.
    public func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        switch storage {
        case .owned(let bytes): try body(unsafe bytes.span.bytes)
        case .borrowed(let buffer, _): try body(unsafe RawSpan(_unsafeBytes: buffer))
        }
    }

    /// The pixel data as an array: without copying where the lease owns it.
    public var bytes: [UInt8] {
        switch storage {
        case .owned(let bytes): bytes
        case .borrowed(let buffer, _): unsafe [UInt8](buffer)
        }
    }
}
