public import CaptureModel

/// Captures in the nodes' spools: `capctl spool list`.
public struct SpoolDocument: Encodable, Sendable {
    var captures: [Item]

    /// A capture.
    struct Item: Encodable {
        var byteCount: Integer64
        var device: DeviceID
        var files: Int
        var requestedAt: String
        var shot: ShotID
        var state: SpooledCapture.State
    }

    public init(_ captures: [SpooledCapture]) {
        self.captures = captures.map { capture in
            Item(
                byteCount: Integer64(capture.byteCount), device: capture.key.device, files: capture.files,
                requestedAt: RFC3339.text(realtimeNanoseconds: capture.requestedRealtimeNanoseconds),
                shot: capture.key.shot, state: capture.state)
        }
    }
}

/// Captures that were removed from spools: `capctl spool discard`.
public struct DiscardDocument: Encodable, Sendable {
    var discarded: [Item]

    /// A capture.
    struct Item: Encodable {
        var device: DeviceID
        var shot: ShotID
    }

    public init(_ captures: [SpooledCapture]) {
        discarded = captures.map { Item(device: $0.key.device, shot: $0.key.shot) }
    }
}

extension SpooledCapture {
    /// When its shot was requested, by the clock of the machine that made the shot's id: nanoseconds since 1970.
    public var requestedRealtimeNanoseconds: Int64 {
        key.shot.unixMilliseconds.multipliedReportingOverflow(by: 1_000_000).partialValue
    }
}
