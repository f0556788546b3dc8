internal import CZeroMQ
internal import Glibc

extension MessagePart {
    /// Received frames from this size on stay in libzmq's memory. Smaller ones share a buffer with their neighbours, so
    /// keeping one would keep all of them.
    private static let keepThreshold = 8 * 1024

    /// Takes a received frame's content.
    init(taking frame: UnsafeMutablePointer<zmq_msg_t>) {
        let count = unsafe zmq_msg_size(frame)
        if count >= Self.keepThreshold {
            self.init(storage: .received(unsafe ReceivedBytes(taking: frame)))
        } else {
            self.init(unsafe Array(UnsafeRawBufferPointer(start: zmq_msg_data(frame), count: count)))
        }
    }

    /// Fills an uninitialised frame for sending; false when memory ran out, and then there is nothing to close.
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
            // libzmq takes a mutable pointer but only reads through it.
            let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            return unsafe zmq_msg_init_data(frame, start, bytes.count, releaseRetainedBytes, reference.toOpaque())
        }
        if code != 0 { unsafe reference.release() }
        return code == 0
    }
}

/// Called by libzmq, on any of its threads, when it needs a lent frame no longer.
private func releaseRetainedBytes(_ data: UnsafeMutableRawPointer?, _ hint: UnsafeMutableRawPointer?) {
    guard let hint = unsafe hint else { return }
    unsafe Unmanaged<RetainedBytes>.fromOpaque(hint).release()
}
