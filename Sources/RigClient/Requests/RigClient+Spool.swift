public import CaptureModel
internal import RigProtocol
public import RigWire

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
            var request = WireListSpool()
            request.damaged = isDamaged
            if let last = captures.last { request.after = last.key.wire }
            let page = try await ask(.node(node), .listSpool(request), timeout, operation: "spool list") {
                result throws(WireError) -> (captures: [SpooledCapture], hasMore: Bool)? in
                guard case .spool(let listing) = result else { return nil }
                return (captures: try Self.captures(listing.captures), hasMore: listing.hasMore_p)
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
            var request = WireDiscardCaptures()
            request.damaged = isDamaged
            request.captures = rest.prefix(WireLimits.inventoryPage).map(\.wire)
            rest = rest.dropFirst(WireLimits.inventoryPage)
            discarded += try await ask(.node(node), .discardCaptures(request), timeout, operation: "spool discard") {
                result throws(WireError) -> [SpooledCapture]? in
                guard case .discarded(let discarded) = result else { return nil }
                return try Self.captures(discarded.captures)
            }
        }
        return discarded
    }

    private static func captures(_ wire: [WireSpooledCapture]) throws(WireError) -> [SpooledCapture] {
        try FieldReader("SpoolListing").list(wire, "captures", limit: WireLimits.inventory)
            .map { (capture) throws(WireError) in try SpooledCapture(wire: capture) }
    }
}
