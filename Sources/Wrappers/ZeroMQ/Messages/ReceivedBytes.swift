internal import CZeroMQ
internal import PosixSupport

/// A received frame, left in libzmq's memory.
///
/// Guard for `@unchecked Sendable`: the bytes never change after receipt. Sharing marks the frame as shared, which writes
/// to it, so that is done under `lock`; reading the bytes does not look at the mark.
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
