internal import CZeroMQ
internal import Glibc
internal import Synchronization

/// The reader of one socket's connection events.
///
/// libzmq's input/output thread waits when a monitor's queue is full, and with it every socket of the context. So the
/// reader's queue is unlimited, the poll loop always empties it, and the monitor is stopped before its reader is closed.
final class SocketMonitor {
    private let handle: SocketHandle
    private let observed: SocketHandle
    private var isOpen = true
    private static let nextNumber = Atomic<UInt64>(0)

    var pointer: UnsafeMutableRawPointer { unsafe handle.pointer }

    init(of observed: SocketHandle, context: ZeroMQContext) throws(ZeroMQError) {
        let number = Self.nextNumber.add(1, ordering: .relaxed).newValue
        let endpoint = "inproc://zeromq-monitor-\(number)"
        self.observed = observed
        handle = try SocketHandle(context: context, type: ZMQ_PAIR)
        try handle.set(ZMQ_RCVHWM, Int32(0), named: "receiveHighWaterMark")
        try handle.set(ZMQ_LINGER, Int32(0), named: "linger")
        guard unsafe zmq_socket_monitor(observed.pointer, endpoint, ZMQ_EVENT_ALL) == 0 else {
            throw .last("monitor", endpoint)
        }
        // When this throws, `deinit` stops the monitor.
        try handle.connect(to: endpoint)
    }

    /// An event, and the number that libzmq gives with it: the descriptor of a connection that was accepted.
    typealias Notice = (event: ConnectionEvent, value: UInt32)

    /// Takes one event, without waiting; nil when there is none. Events users need not know are skipped.
    func next() -> Notice? {
        while case .message(let received) = handle.receive(maximumPartCount: 2) {
            if let event = Self.decode(received.parts) { return event }
        }
        return nil
    }

    /// Whether libzmq has given the reader up, because its context was shut down.
    var isEnded: Bool { handle.isEnded }

    /// Stops the monitor, then closes its reader; before the observed socket is closed.
    func close() {
        guard isOpen else { return }
        isOpen = false
        unsafe zmq_socket_monitor(observed.pointer, nil, 0)
        handle.close()
    }

    /// The first part holds a 16-bit event and a 32-bit value in the machine's byte order, unaligned.
    private static func decode(_ parts: [MessagePart]) -> Notice? {
        guard parts.count == 2, parts[0].count == 6 else { return nil }
        let (event, value) = unsafe parts[0].withUnsafeBytes { bytes in
            unsafe (bytes.loadUnaligned(as: UInt16.self), bytes.loadUnaligned(fromByteOffset: 2, as: UInt32.self))
        }
        guard let kind = ConnectionEvent.Kind(event: Int32(event), value: value) else { return nil }
        return (ConnectionEvent(kind: kind, endpoint: String(decoding: parts[1].bytes, as: UTF8.self)), value)
    }

    deinit { close() }
}
