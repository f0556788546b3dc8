import CaptureModel
import RigProtocol
import RigWire
import Spool

/// What people ask of the node's spool: what lies there, and to have some of it removed.
struct SpoolRequests: Sendable {
    let node: NodeName
    let spool: Spool
    let events: NodeEvents

    /// Carries a request out; returns when the disk has done it.
    func carryOut(_ wire: WireDeviceRequest) async -> Result<WireDeviceReply, CaptureProblem> {
        do {
            let request = try DeviceRequest(wire: wire)
            guard request.node == node else {
                throw CaptureProblem(.protocolViolation, "this is node '\(node)', and '\(request.node)' was meant")
            }
            var reply = WireDeviceReply()
            reply.result = try await result(of: wire.command)
            return .success(reply)
        } catch let problem as CaptureProblem {
            return .failure(problem)
        } catch {
            return .failure(CaptureProblem(.protocolViolation, "\(error)"))
        }
    }

    private func result(
        of command: WireDeviceRequest.OneOf_Command?
    ) async throws -> WireDeviceReply.OneOf_Result {
        switch command {
        case .listSpool(let request): return .spool(try await list(request))
        case .discardCaptures(let request): return .discarded(try await discard(request))
        default:
            throw CaptureProblem(
                .protocolViolation,
                "node '\(node)' does not know this command; install equal versions on node and coordinator")
        }
    }

    private func list(_ request: WireListSpool) async throws -> WireSpoolListing {
        let after = request.hasAfter ? try CaptureKey(wire: request.after) : nil
        var listing = WireSpoolListing()
        if request.damaged {
            let further = try await spool.damagedCaptures().filter { capture in after.map { $0 < capture.key } ?? true }
            listing.captures = further.prefix(WireLimits.inventoryPage).map { SpooledCapture($0).wire }
            listing.hasMore_p = further.count > WireLimits.inventoryPage
        } else {
            let holdings = try await spool.holdings(after: after, limit: WireLimits.inventoryPage)
            listing.captures = holdings.captures.map { SpooledCapture($0).wire }
            listing.hasMore_p = holdings.hasMore
        }
        return listing
    }

    private func discard(_ request: WireDiscardCaptures) async throws -> WireDiscardedCaptures {
        let keys = try FieldReader("DiscardCaptures").list(
            request.captures, "captures", limit: WireLimits.inventoryPage
        ).map { try CaptureKey(wire: $0) }
        if !request.damaged {
            // Before any is removed: a request that is refused has removed nothing.
            for key in keys { try await checkFinished(key) }
        }
        var discarded = WireDiscardedCaptures()
        for key in keys {
            guard let capture = try await discard(key, isDamaged: request.damaged) else { continue }
            events.record(
                .spoolDiscarded, device: key.device, shot: key.shot, details: capture.discardDetails)
            discarded.captures.append(capture.wire)
        }
        return discarded
    }

    private func discard(_ key: CaptureKey, isDamaged: Bool) async throws -> SpooledCapture? {
        if isDamaged { return try await spool.discardDamaged(key).map { SpooledCapture($0) } }
        return try await spool.discard(key).map { SpooledCapture($0) }
    }

    private func checkFinished(_ key: CaptureKey) async throws(CaptureProblem) {
        let report = await spool.report(of: key)
        guard report?.owedSegment != nil else { return }
        throw CaptureProblem(
            .conflict, "\(key) is being recorded, or its movie is being finished; stop its take before")
    }
}

extension SpooledCapture {
    init(_ holding: SpoolHolding) {
        self.init(holding.report)
        guard !holding.isWhole else { return }
        (files, byteCount, state) = (holding.files, holding.byteCount, .incomplete)
    }

    init(_ capture: DamagedCapture) {
        self.init(key: capture.key, files: capture.names.count, byteCount: capture.byteCount, state: .damaged)
    }
}
