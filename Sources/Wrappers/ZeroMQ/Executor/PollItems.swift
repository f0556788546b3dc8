internal import CZeroMQ

/// The array `zmq_poll` works on: the wake descriptor, then a socket and its monitor for each core.
///
/// Touched on the executor's thread only.
@safe struct PollItems: ~Copyable {
    enum Outcome { case ready, interrupted, failed }

    private var items: [zmq_pollitem_t] = unsafe []

    var wakeIsReady: Bool { unsafe items.first.map { unsafe $0.revents != 0 } ?? false }

    mutating func rebuild(wakeDescriptor: Int32, sockets: [SocketCore]) {
        unsafe items.removeAll(keepingCapacity: true)
        unsafe items.append(zmq_pollitem_t(socket: nil, fd: wakeDescriptor, events: Int16(ZMQ_POLLIN), revents: 0))
        for socket in sockets {
            unsafe items.append(zmq_pollitem_t(socket: socket.handle.pointer, fd: 0, events: 0, revents: 0))
            unsafe items.append(
                zmq_pollitem_t(socket: socket.monitor.pointer, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0))
        }
    }

    /// Chooses what the core at `index` waits for; its monitor is always read.
    mutating func setEvents(_ index: Int, input: Bool, output: Bool) {
        unsafe items[1 + 2 * index].events = Int16((input ? ZMQ_POLLIN : 0) | (output ? ZMQ_POLLOUT : 0))
    }

    func ready(_ index: Int) -> (input: Bool, output: Bool, monitor: Bool) {
        let events = unsafe Int32(items[1 + 2 * index].revents)
        let monitor = unsafe Int32(items[2 + 2 * index].revents)
        return (events & ZMQ_POLLIN != 0, events & ZMQ_POLLOUT != 0, monitor & ZMQ_POLLIN != 0)
    }

    mutating func poll(timeoutMilliseconds: Int) -> Outcome {
        let code = unsafe items.withUnsafeMutableBufferPointer { buffer in
            unsafe zmq_poll(buffer.baseAddress, Int32(buffer.count), timeoutMilliseconds)
        }
        if code >= 0 { return .ready }
        return zmq_errno() == EINTR ? .interrupted : .failed
    }
}
