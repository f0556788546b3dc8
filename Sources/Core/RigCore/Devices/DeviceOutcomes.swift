import CaptureModel

/// What came of requests about devices, by the id that their client chose, for repeats of them.
///
/// The newest ``limit``, which name ``captureLimit`` captures together, are kept; older ones leave, and a repeat of one of them is
/// carried out again. A request that only reads is not kept: its repeat may as well be answered anew.
struct DeviceOutcomes: Sendable {
    static let limit = 256
    /// Captures are the only things of which a request or its outcome names many.
    static let captureLimit = 16_384

    struct Kept: Sendable {
        var request: DeviceRequest
        var outcome: DeviceRelay.Outcome

        /// Captures that both name.
        fileprivate var captureCount: Int {
            var count = 0
            if case .discardCaptures(let keys, _)? = request.command { count += keys.count }
            if case .success(.discarded(let captures)) = outcome { count += captures.count }
            return count
        }
    }

    private var kept: [UInt64: Kept] = [:]
    /// Their ids, oldest first.
    private var ids: [UInt64] = []
    private var captureCount = 0
    /// Those that have left for newer ones.
    private(set) var forgotten: UInt64 = 0

    subscript(id: UInt64) -> Kept? { kept[id] }

    mutating func keep(_ outcome: DeviceRelay.Outcome, of request: DeviceRequest) {
        guard let id = request.id, kept[id] == nil, !request.isReading else { return }
        let new = Kept(request: request, outcome: outcome)
        kept[id] = new
        ids.append(id)
        captureCount += new.captureCount
        while ids.count > Self.limit || captureCount > Self.captureLimit, ids.count > 1 { dropOldest() }
    }

    private mutating func dropOldest() {
        captureCount -= kept.removeValue(forKey: ids.removeFirst())?.captureCount ?? 0
        forgotten += 1
    }
}

extension DeviceRequest {
    /// Whether it changes nothing.
    fileprivate var isReading: Bool {
        switch command {
        case .describe, .listSpool: true
        case .startSession, .stopSession, .resumeSession, .switchInput, .setControls, .setConnection,
            .discardCaptures, nil:
            false
        }
    }
}
