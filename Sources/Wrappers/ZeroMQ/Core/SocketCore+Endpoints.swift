extension SocketCore {
    final func connect(to endpoint: String) throws(ZeroMQError) {
        try check("connect to", endpoint)
        let host = EndpointHost(endpoint)
        try handle.setIPv6(host == .ipv6)
        try handle.connect(to: endpoint)
        if host == .name { names[endpoint] = FamilySearch() }
        connectedEndpoints.append(endpoint)
    }

    final func disconnect(from endpoint: String) throws(ZeroMQError) {
        try check("disconnect from", endpoint)
        names[endpoint] = nil
        // What is reported of the connection so far is not to come after its end.
        handleMonitor()
        try handle.disconnect(from: endpoint)
        isConnected = false
        connectedEndpoints.removeAll { $0 == endpoint }
    }

    final func reconnect() throws(ZeroMQError) {
        handleMonitor()
        for endpoint in connectedEndpoints {
            try check("reconnect to", endpoint)
            try connectAnew(to: endpoint, usingIPv6: names[endpoint]?.usesIPv6 ?? (EndpointHost(endpoint) == .ipv6))
        }
    }

    /// libzmq takes a name for addresses of one family, whichever of them somebody listens on. So a name that cannot be
    /// connected to is connected to anew, with the other family.
    final func follow(_ event: ConnectionEvent) {
        guard isOpen, event.kind == .handshakeSucceeded || event.isFailedAttempt, let port = event.port else { return }
        // Events tell the address of a name, once it has one.
        let meant = names.keys.filter { EndpointHost.port(of: $0) == port }
        guard meant.count == 1, let endpoint = meant.first, var search = names[endpoint] else { return }
        if event.kind == .handshakeSucceeded {
            search.succeeded()
        } else if search.failed() {
            // Fails only where the context is being shut down, which the poll loop finds by itself.
            try? connectAnew(to: endpoint, usingIPv6: search.usesIPv6)
        }
        names[endpoint] = search
    }

    private func connectAnew(to endpoint: String, usingIPv6: Bool) throws(ZeroMQError) {
        try handle.setIPv6(usingIPv6)
        try handle.disconnect(from: endpoint)
        isConnected = false
        try handle.connect(to: endpoint)
    }

    final func bind(to endpoint: String) throws(ZeroMQError) -> String {
        try check("bind to", endpoint)
        let host = EndpointHost(endpoint)
        try handle.setIPv6(host == .ipv6 || host == .any)
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
