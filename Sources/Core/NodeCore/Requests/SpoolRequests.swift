import CaptureModel
import Recording
import Spool

/// User requests about the node's spool: listing and discarding captures.
struct SpoolRequests: Sendable {
    /// Number of captures in one answer: as many as a message holds.
    static let pageLimit = 60

    let node: NodeName
    let spool: Spool
    let events: NodeEvents

    /// Carries out a request. Returns when the disk has done it.
    func carryOut(_ request: DeviceRequest) async -> Result<DeviceReply, RigProblem> {
        do {
            guard request.node == node else {
                throw RigProblem(
                    .protocolViolation, "this is node '\(node)'; the request is for node '\(request.node)'")
            }
            switch request.command {
            case .listSpool(let after, let isDamaged):
                return .success(.spool(try await list(after: after, isDamaged: isDamaged)))
            case .discardCaptures(let keys, let isDamaged):
                return .success(.discarded(try await discard(keys, isDamaged: isDamaged)))
            default:
                throw RigProblem(
                    .protocolViolation,
                    "node '\(node)' does not know this command; install equal versions on node and coordinator")
            }
        } catch let problem as RigProblem {
            return .failure(problem)
        } catch let error as SpoolError {
            return .failure(RigProblem(error))
        } catch {
            return .failure(RigProblem(.protocolViolation, "\(error)"))
        }
    }

    private func list(after: CaptureKey?, isDamaged: Bool) async throws -> SpoolListing {
        guard isDamaged else {
            let holdings = try await spool.holdings(after: after, limit: Self.pageLimit)
            return SpoolListing(captures: holdings.captures.map { SpooledCapture($0) }, hasMore: holdings.hasMore)
        }
        let further = try await spool.damagedCaptures().filter { capture in after.map { $0 < capture.key } ?? true }
        return SpoolListing(
            captures: further.prefix(Self.pageLimit).map { SpooledCapture($0) },
            hasMore: further.count > Self.pageLimit)
    }

    private func discard(_ keys: [CaptureKey], isDamaged: Bool) async throws -> [SpooledCapture] {
        if !isDamaged {
            // Before any capture is removed: a request that is refused removes nothing.
            for key in keys { try await checkFinished(key) }
        }
        var discarded: [SpooledCapture] = []
        for key in keys {
            guard let capture = try await discard(key, isDamaged: isDamaged) else { continue }
            events.record(.spoolDiscarded, device: key.device, shot: key.shot, details: capture.discardDetails)
            discarded.append(capture)
        }
        return discarded
    }

    private func discard(_ key: CaptureKey, isDamaged: Bool) async throws -> SpooledCapture? {
        if isDamaged { return try await spool.discardDamaged(key).map { SpooledCapture($0) } }
        return try await spool.discard(key).map { SpooledCapture($0) }
    }

    private func checkFinished(_ key: CaptureKey) async throws(RigProblem) {
        let report = await spool.report(of: key)
        guard report?.owedSegment != nil else { return }
        throw RigProblem(
            .conflict, "\(key) is being recorded, or its movie is being finished; stop its take first")
    }
}

extension SpooledCapture {
    init(_ holding: SpoolContentEntry) {
        self.init(holding.report)
        guard !holding.isWhole else { return }
        (files, byteCount, state) = (holding.files, holding.byteCount, .incomplete)
    }

    init(_ capture: DamagedCapture) {
        self.init(key: capture.key, files: capture.names.count, byteCount: capture.byteCount, state: .damaged)
    }
}
