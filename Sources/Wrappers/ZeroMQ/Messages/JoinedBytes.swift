internal import CZeroMQ
internal import Glibc

/// Arrays that one part carries one after another, put together where they are sent.
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

    /// Fills an uninitialised frame: each piece is copied once, into libzmq's memory; false when memory ran out.
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
