internal import CZeroMQ
internal import Glibc

/// One frame of a message: immutable bytes, shared instead of copied if this is faster.
public struct MessagePart: Sendable {
    /// The size in bytes from which `init(retaining:bytes:)` sends without copying. Below it, a copy is faster.
    public static let zeroCopyThreshold = 64 * 1024

    enum Storage: Sendable {
        case copied([UInt8])
        case joined(JoinedBytes)
        case retained(RetainedBytes)
        case received(ReceivedBytes)
    }

    let storage: Storage

    /// Creates a part with these bytes. Sending copies them once.
    public init(_ bytes: [UInt8]) { storage = .copied(bytes) }

    /// Creates a part with the bytes of several arrays, one after another, such as a topic and its payload.
    ///
    /// Sending copies each array once, directly into libzmq's memory. All subscribers of a message share that memory.
    public init(joining pieces: [[UInt8]]) { storage = .joined(JoinedBytes(pieces)) }

    init(storage: Storage) { self.storage = storage }

    /// Creates a part that sends `bytes` in place if they are 64 KiB or more. Smaller ones are copied immediately.
    ///
    /// - Parameters:
    ///   - owner: Kept alive until this part, its copies and libzmq have released the bytes. Its `deinit` may run on libzmq's thread: it
    ///     must be short, must not block, and must not wait for an executor.
    ///   - bytes: Memory that must stay valid and unchanged during the owner's lifetime.
    public init(retaining owner: any Sendable & AnyObject, bytes: UnsafeRawBufferPointer) {
        if bytes.count < Self.zeroCopyThreshold {
            storage = unsafe .copied(Array(bytes))
        } else {
            storage = .retained(unsafe RetainedBytes(owner: owner, bytes: bytes))
        }
    }

    /// The size in bytes.
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

    /// Calls `body` with the bytes in place. The span is valid during the call. A joined part is copied into one array for the call.
    public func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        if case .copied(let bytes) = storage { return try unsafe body(bytes.span.bytes) }
        return try unsafe withUnsafeBytes { try unsafe body(RawSpan(_unsafeBytes: $0)) }
    }

    /// Calls `body` with the bytes in place. The pointer is valid during the call.
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        switch storage {
        case .copied(let bytes): try unsafe bytes.withUnsafeBytes(body)
        case .joined(let joined): try unsafe joined.bytes.withUnsafeBytes(body)
        case .retained(let retained): try unsafe retained.withUnsafeBytes(body)
        case .received(let received): try unsafe received.withUnsafeBytes(body)
        }
    }

    /// Calls `body` with the bytes in place as integers. The span is valid during the call.
    public func withSpan<R>(_ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try unsafe withUnsafeBytes { bytes in try unsafe body(bytes.bindMemory(to: UInt8.self).span) }
    }
}

extension MessagePart {
    /// The size in bytes from which received frames stay in libzmq's memory. Smaller ones share a buffer with other frames, so keeping one
    /// would keep all of them.
    private static let keepThreshold = 8 * 1024

    /// Moves or copies the content of a received frame into a part.
    init(taking frame: UnsafeMutablePointer<zmq_msg_t>) {
        let count = unsafe zmq_msg_size(frame)
        if count >= Self.keepThreshold {
            self.init(storage: .received(unsafe ReceivedBytes(taking: frame)))
        } else {
            self.init(unsafe Array(UnsafeRawBufferPointer(start: zmq_msg_data(frame), count: count)))
        }
    }

    /// Fills an uninitialized frame for sending. Returns false if memory ran out; the frame then need not be closed.
    func fill(_ frame: UnsafeMutablePointer<zmq_msg_t>) -> Bool {
        switch storage {
        case .copied(let bytes):
            unsafe bytes.withUnsafeBytes { unsafe Self.copy($0, into: frame) }
        case .joined(let joined):
            unsafe joined.fill(frame)
        case .retained(let retained):
            unsafe Self.lend(retained, to: frame)
        case .received(let received):
            unsafe zmq_msg_init(frame) == 0 && received.share(with: frame)
        }
    }

    static func copy(_ bytes: UnsafeRawBufferPointer, into frame: UnsafeMutablePointer<zmq_msg_t>) -> Bool {
        guard unsafe zmq_msg_init_size(frame, bytes.count) == 0 else { return false }
        if let source = bytes.baseAddress { unsafe memcpy(zmq_msg_data(frame), source, bytes.count) }
        return true
    }

    private static func lend(_ retained: RetainedBytes, to frame: UnsafeMutablePointer<zmq_msg_t>) -> Bool {
        let reference = unsafe Unmanaged.passRetained(retained)
        let code = unsafe retained.withUnsafeBytes { bytes in
            // libzmq's parameter is a mutable pointer, but it only reads the memory.
            let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            return unsafe zmq_msg_init_data(frame, start, bytes.count, releaseRetainedBytes, reference.toOpaque())
        }
        if code != 0 { unsafe reference.release() }
        return code == 0
    }
}

/// Called by libzmq, on any of its threads, when it has released a lent frame.
private func releaseRetainedBytes(_ data: UnsafeMutableRawPointer?, _ hint: UnsafeMutableRawPointer?) {
    guard let hint = unsafe hint else { return }
    unsafe Unmanaged<RetainedBytes>.fromOpaque(hint).release()
}

/// A router's name for one connection of a peer: ZeroMQ's routing id.
///
/// libzmq creates it when the peer connects, and again when it reconnects, unless the peer chose one itself. It does not prove identity.
public struct PeerID: Hashable, Sendable {
    /// 1 to 255 bytes.
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }
}

extension PeerID: CustomStringConvertible {
    /// The bytes in hexadecimal.
    public var description: String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
