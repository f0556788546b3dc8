extension SocketCore {
    final func connect(to endpoint: String) throws(ZeroMQError) {
        try check("connect to", endpoint)
        try handle.connect(to: endpoint)
    }

    final func disconnect(from endpoint: String) throws(ZeroMQError) {
        try check("disconnect from", endpoint)
        try handle.disconnect(from: endpoint)
    }

    final func bind(to endpoint: String) throws(ZeroMQError) -> String {
        try check("bind to", endpoint)
        do {
            return try handle.bind(to: endpoint)
        } catch {
            // Telling the monitor about the failure overwrites errno, so the monitor knows better.
            handleMonitor()
            guard error.code == "EAGAIN", let code = lastBindFailure else { throw error }
            throw ZeroMQError(code: code, operation: error.operation, endpoint: endpoint)
        }
    }

    final func unbind(from endpoint: String) throws(ZeroMQError) {
        try check("unbind from", endpoint)
        try handle.unbind(from: endpoint)
    }

    /// A closed socket's pointer must not reach libzmq, and text with a NUL would reach it shortened.
    private func check(_ operation: String, _ endpoint: String) throws(ZeroMQError) {
        guard isOpen else { throw ZeroMQError(code: "ENOTSOCK", operation: operation, endpoint: endpoint) }
        guard !endpoint.utf8.contains(0) else {
            throw ZeroMQError(code: "EINVAL", operation: operation, endpoint: endpoint)
        }
    }
}
