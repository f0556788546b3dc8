internal import CZeroMQ
internal import Glibc
internal import PosixSupport

/// A received frame that stays in libzmq's memory.
///
/// Guard for `@unchecked Sendable`: the bytes never change after receipt. Sharing writes a mark into the frame, so `lock` protects it.
/// Reading the bytes does not read the mark.
@safe final class ReceivedBytes: @unchecked Sendable {
    private let frame: UnsafeMutablePointer<zmq_msg_t>
    private let buffer: UnsafeRawBufferPointer
    private let lock = Locked(())

    /// Moves the content out of `source`, which is empty afterwards.
    init(taking source: UnsafeMutablePointer<zmq_msg_t>) {
        unsafe frame = .allocate(capacity: 1)
        unsafe frame.initialize(to: zmq_msg_t())
        unsafe zmq_msg_init(frame)
        unsafe zmq_msg_move(frame, source)
        unsafe buffer = UnsafeRawBufferPointer(start: zmq_msg_data(frame), count: zmq_msg_size(frame))
    }

    var count: Int { unsafe buffer.count }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe body(buffer)
    }

    /// Makes `target`, an empty frame, refer to the same memory.
    func share(with target: UnsafeMutablePointer<zmq_msg_t>) -> Bool {
        lock.withLock { _ in unsafe zmq_msg_copy(target, frame) == 0 }
    }

    deinit {
        unsafe zmq_msg_close(frame)
        unsafe frame.deallocate()
    }
}

/// The arrays of a joined part, which are put together when the part is sent.
struct JoinedBytes: Sendable {
    private let pieces: [[UInt8]]
    let count: Int

    init(_ pieces: [[UInt8]]) {
        self.pieces = pieces
        count = pieces.reduce(0) { $0 + $1.count }
    }

    /// A copy of all bytes.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for piece in pieces { bytes += piece }
        return bytes
    }

    /// Fills an uninitialized frame: copies each piece once, into libzmq's memory. Returns false if memory ran out.
    func fill(_ frame: UnsafeMutablePointer<zmq_msg_t>) -> Bool {
        guard unsafe zmq_msg_init_size(frame, count) == 0, var target = unsafe zmq_msg_data(frame) else { return false }
        for piece in pieces {
            unsafe piece.withUnsafeBytes { source in
                if let start = source.baseAddress { unsafe memcpy(target, start, source.count) }
            }
            unsafe target += piece.count
        }
        return true
    }
}

/// Memory that another object owns, and the owner that keeps it valid.
///
/// Guard for `@unchecked Sendable`: both fields are constant, and the creator of the part has promised that the memory does not change
/// during the owner's lifetime.
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
