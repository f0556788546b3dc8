internal import CZeroMQ

/// Owner of one libzmq socket. Keeps its context alive.
///
/// Guard for `@unchecked Sendable`: made on any thread, handed to the executor through its queue's lock (the memory fence
/// libzmq asks for), and from then on touched on the executor's thread only.
@safe final class SocketHandle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer
    /// Frames reused for every send and receive; empty in between.
    let outgoing: UnsafeMutablePointer<zmq_msg_t>
    let incoming: UnsafeMutablePointer<zmq_msg_t>
    private let context: ZeroMQContext
    private var isOpen = true

    init(context: ZeroMQContext, type: Int32) throws(ZeroMQError) {
        guard let pointer = unsafe zmq_socket(context.pointer, type) else { throw .last("create a socket") }
        self.context = context
        unsafe self.pointer = unsafe pointer
        unsafe outgoing = .allocate(capacity: 1)
        unsafe incoming = .allocate(capacity: 1)
        unsafe outgoing.initialize(to: zmq_msg_t())
        unsafe incoming.initialize(to: zmq_msg_t())
        unsafe zmq_msg_init(incoming)
    }

    func set(_ option: Int32, _ value: some FixedWidthInteger & BitwiseCopyable, named name: String) throws(ZeroMQError)
    {
        var value = value
        let size = MemoryLayout.size(ofValue: value)
        guard unsafe zmq_setsockopt(pointer, option, &value, size) == 0 else { throw .last("set", name) }
    }

    func set(_ option: Int32, _ bytes: [UInt8], operation: String) throws(ZeroMQError) {
        guard unsafe zmq_setsockopt(pointer, option, bytes, bytes.count) == 0 else { throw .last(operation) }
    }

    /// Which addresses libzmq takes a host for when it binds or connects from here on: those of IPv6 (where there are none,
    /// those of IPv4), or those of IPv4 alone.
    func setIPv6(_ usesIPv6: Bool) throws(ZeroMQError) {
        try set(ZMQ_IPV6, Int32(usesIPv6 ? 1 : 0), named: "IPv6")
    }

    /// Binds, and returns the address with the port the system chose.
    func bind(to endpoint: String) throws(ZeroMQError) -> String {
        guard unsafe zmq_bind(pointer, endpoint) == 0 else { throw .last("bind to", endpoint) }
        // libzmq's addresses are shorter than 256 bytes: file names of ipc are the longest, at 108.
        var text = [CChar](repeating: 0, count: 256)
        var size = text.count
        guard unsafe zmq_getsockopt(pointer, ZMQ_LAST_ENDPOINT, &text, &size) == 0 else {
            throw .last("read the address of", endpoint)
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    func connect(to endpoint: String) throws(ZeroMQError) {
        guard unsafe zmq_connect(pointer, endpoint) == 0 else { throw .last("connect to", endpoint) }
    }

    func disconnect(from endpoint: String) throws(ZeroMQError) {
        guard unsafe zmq_disconnect(pointer, endpoint) == 0 else { throw .last("disconnect from", endpoint) }
    }

    func unbind(from endpoint: String) throws(ZeroMQError) {
        guard unsafe zmq_unbind(pointer, endpoint) == 0 else { throw .last("unbind from", endpoint) }
    }

    /// Whether libzmq has given the socket up, because its context was shut down.
    var isEnded: Bool {
        var events: Int32 = 0
        var size = MemoryLayout.size(ofValue: events)
        return unsafe zmq_getsockopt(pointer, ZMQ_EVENTS, &events, &size) != 0 && zmq_errno() != EINTR
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        unsafe zmq_close(pointer)
    }

    deinit {
        close()
        unsafe zmq_msg_close(incoming)
        unsafe incoming.deallocate()
        unsafe outgoing.deallocate()
    }
}
