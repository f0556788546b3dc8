public import CaptureModel
internal import RigWire

extension RigClient {
    /// Everything that lies in a node's spool, oldest shot first.
    /// - Parameters:
    ///   - isDamaged: The captures that were moved aside instead of those that wait.
    ///   - timeout: How long the node may take for each part of the answer.
    public func spool(
        of node: NodeName, damaged isDamaged: Bool, timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> [SpooledCapture] {
        var captures: [SpooledCapture] = []
        while true {
            let command = DeviceCommand.listSpool(after: captures.last?.key, isDamaged: isDamaged)
            let page: SpoolListing = try await ask(.node(node), command, timeout, operation: "spool list") { reply in
                if case .spool(let listing) = reply { listing } else { nil }
            }
            // A node that lists the same again would be listened to for ever.
            if let last = captures.last, let first = page.captures.first, first.key <= last.key { return captures }
            captures += page.captures
            guard page.hasMore, !page.captures.isEmpty else { return captures }
        }
    }

    /// Removes captures from a node's spool for good; one that is not there is passed over.
    /// - Parameter isDamaged: Of those that were moved aside instead of those that wait.
    /// - Returns: What was there and is gone.
    public func discard(
        _ captures: [CaptureKey], of node: NodeName, damaged isDamaged: Bool,
        timeout: Duration = DeviceRequest.defaultTimeout
    ) async throws(RigClientError) -> [SpooledCapture] {
        var discarded: [SpooledCapture] = []
        var rest = captures[...]
        while !rest.isEmpty {
            let command = DeviceCommand.discardCaptures(
                Array(rest.prefix(WireLimits.inventoryPage)), isDamaged: isDamaged)
            rest = rest.dropFirst(WireLimits.inventoryPage)
            let gone: [SpooledCapture] = try await ask(.node(node), command, timeout, operation: "spool discard") {
                reply in
                if case .discarded(let captures) = reply { captures } else { nil }
            }
            discarded += gone
        }
        return discarded
    }
}
