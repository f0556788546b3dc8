public import CaptureModel
public import RigProtocol
import SwiftProtobuf

extension CameraAlignment {
    public init(wire: WireCameraAlignment) throws(WireError) {
        let reader = FieldReader("CameraAlignment")
        let bound = try reader.number(wire.boundNs, "bound_ns", in: WireLimits.nonNegative)
        self.init(
            state: try reader.word(wire.state, "state", as: State.self),
            reason: wire.hasReason ? wire.reason.sentence(limit: WireLimits.reasonByteCount) : nil,
            lateness: wire.hasLatenessNs ? .nanoseconds(wire.latenessNs) : nil,
            bound: wire.hasBoundNs ? .nanoseconds(bound) : nil,
            corrections: Int(try reader.count(wire.corrections, "corrections")),
            restarts: Int(try reader.count(wire.restarts, "restarts")))
    }

    public var wire: WireCameraAlignment {
        var wire = WireCameraAlignment()
        wire.state = state.rawValue
        if let reason { wire.reason = reason.sentence(limit: WireLimits.reasonByteCount) }
        if let latenessNanoseconds { wire.latenessNs = latenessNanoseconds }
        if let boundNanoseconds { wire.boundNs = max(boundNanoseconds, 0) }
        wire.corrections = UInt64(clamping: corrections)
        wire.restarts = UInt64(clamping: restarts)
        return wire
    }
}

extension AlignmentRequest {
    /// - Returns: nil if the camera is to run free.
    static func checked(_ wire: WireAlignCamera) throws(WireError) -> AlignmentRequest? {
        guard !wire.off else { return nil }
        let reader = FieldReader("AlignCamera")
        var request = AlignmentRequest()
        if wire.toleranceNs != 0 {
            request.tolerance = .nanoseconds(
                try reader.number(wire.toleranceNs, "tolerance_ns", in: toleranceLimits.nanoseconds))
        }
        request.restartBudget = .nanoseconds(
            try reader.number(wire.restartBudgetNs, "restart_budget_ns", in: budgetLimits.nanoseconds))
        return request
    }

    var wire: WireAlignCamera {
        .with {
            $0.toleranceNs = tolerance.nanoseconds
            $0.restartBudgetNs = restartBudget.nanoseconds
        }
    }
}

extension ClosedRange<Duration> {
    fileprivate var nanoseconds: ClosedRange<Int64> { lowerBound.nanoseconds...upperBound.nanoseconds }
}
