/// One frame of a message: immutable bytes, shared rather than copied where that pays.
public struct MessagePart: Sendable {
    /// From this size on `init(retaining:bytes:)` sends without copying; below, a copy is cheaper.
    public static let zeroCopyThreshold = 64 * 1024

    enum Storage: Sendable {
        case copied([UInt8])
        case joined(JoinedBytes)
        case retained(RetainedBytes)
        case received(ReceivedBytes)
    }

    let storage: Storage

    /// A part with these bytes; sending copies them once.
    public init(_ bytes: [UInt8]) { storage = .copied(bytes) }

    /// A part with the bytes of several arrays, one after another, such as a topic and what is published under it.
    ///
    /// Sending copies each of them once, into libzmq's memory; they need not be put together first. However many
    /// subscribers a message goes to, they share that memory.
    public init(joining pieces: [[UInt8]]) { storage = .joined(JoinedBytes(pieces)) }

    init(storage: Storage) { self.storage = storage }

    /// A part that sends `bytes` from where they are, from 64 KiB on; smaller ones are copied here and now.
    ///
    /// - Parameters:
    ///   - owner: Kept alive until this part, its copies and libzmq have let go of the bytes. Its `deinit` may run on
    ///     libzmq's thread: it must be short, must not block, and must not wait for an executor.
    ///   - bytes: Memory that must stay valid and unchanged for as long as the owner lives.
    public init(retaining owner: any Sendable & AnyObject, bytes: UnsafeRawBufferPointer) {
        if bytes.count < Self.zeroCopyThreshold {
            storage = unsafe .copied(Array(bytes))
        } else {
            storage = .retained(unsafe RetainedBytes(owner: owner, bytes: bytes))
        }
    }

    /// Size in bytes.
    public var count: Int {
        switch storage {
        case .copied(let bytes): bytes.count
        case .joined(let joined): joined.count
        case .retained(let retained): retained.count
        case .received(let received): received.count
        }
    }

    /// A copy of the bytes.
    public var bytes: [UInt8] {
        if case .copied(let bytes) = storage { return bytes }
        if case .joined(let joined) = storage { return joined.bytes }
        return unsafe withUnsafeBytes { unsafe Array($0) }
    }

    /// Calls `body` with the bytes in place; the span is valid during the call. Those of a joined part are put together
    /// for it.
    public func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        if case .copied(let bytes) = storage { return try unsafe body(bytes.span.bytes) }
        return try unsafe withUnsafeBytes { try unsafe body(RawSpan(_unsafeBytes: $0)) }
    }

    /// Calls `body` with the bytes in place; the pointer is valid during the call.
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        switch storage {
        case .copied(let bytes): try unsafe bytes.withUnsafeBytes(body)
        case .joined(let joined): try unsafe joined.bytes.withUnsafeBytes(body)
        case .retained(let retained): try unsafe retained.withUnsafeBytes(body)
        case .received(let received): try unsafe received.withUnsafeBytes(body)
        }
    }

    /// Calls `body` with the bytes in place as numbers; the span is valid during the call.
    public func withSpan<R>(_ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try unsafe withUnsafeBytes { bytes in try unsafe body(bytes.bindMemory(to: UInt8.self).span) }
    }
}
