public import CaptureModel
public import RigProtocol

extension ShotDeletionRequest {
    public init(wire: WireDeleteShot) throws(WireError) {
        self.init(shot: try FieldReader("DeleteShot").shotID(wire.shotID), evenOnlyCopy: wire.onlyCopy)
    }

    public var wire: WireDeleteShot {
        var wire = WireDeleteShot()
        wire.shotID = shot.wire
        wire.onlyCopy = evenOnlyCopy
        return wire
    }
}

extension ShotDeletion {
    /// A reason that this version does not know is read as `requested`, with the name of who deleted the shot.
    public init(wire: WireDeletedShot) throws(WireError) {
        let reader = FieldReader("DeletedShot")
        self.init(
            shot: try reader.shotID(wire.shotID), isTake: wire.take, realtimeNanoseconds: wire.deletedRealtimeNs,
            by: wire.by.sentence(limit: Principal.longestName), reason: Reason(rawValue: wire.reason) ?? .requested,
            wasOnlyCopy: wire.onlyCopy, files: Int(wire.files),
            byteCount: try reader.number(wire.byteCount, "byte_count", in: 0...Int64.max))
    }

    public var wire: WireDeletedShot {
        var wire = WireDeletedShot()
        wire.shotID = shot.wire
        wire.take = isTake
        wire.deletedRealtimeNs = realtimeNanoseconds
        wire.by = by
        wire.reason = reason.rawValue
        wire.onlyCopy = wasOnlyCopy
        wire.files = UInt32(clamping: files)
        wire.byteCount = byteCount
        return wire
    }
}

extension RetentionStatus {
    /// An obstacle that this version does not know is counted as `failed`.
    public init(wire: WireRetentionStatus) throws(WireError) {
        let reader = FieldReader("RetentionStatus")
        self.init(
            rule: wire.rule.sentence(limit: WireLimits.wordByteCount),
            checkedRealtimeNanoseconds: wire.hasCheckedRealtimeNs ? wire.checkedRealtimeNs : nil,
            heldBack: Dictionary(
                wire.heldBack.map { (Obstacle(rawValue: $0) ?? .failed, $1) },
                uniquingKeysWith: { $0.addingReportingOverflow($1).partialValue }),
            example: wire.example.isEmpty ? nil : wire.example.sentence(limit: WireLimits.problemByteCount),
            lackingBytes: try reader.number(wire.lackingBytes, "lacking_bytes", in: 0...Int64.max))
    }

    public var wire: WireRetentionStatus {
        var wire = WireRetentionStatus()
        wire.rule = rule
        if let checkedRealtimeNanoseconds { wire.checkedRealtimeNs = checkedRealtimeNanoseconds }
        wire.heldBack = Dictionary(heldBack.map { ($0.key.rawValue, $0.value) }) { first, _ in first }
        wire.example = example ?? ""
        wire.lackingBytes = lackingBytes
        return wire
    }
}
