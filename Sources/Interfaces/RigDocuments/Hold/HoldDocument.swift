public import CaptureModel

/// Who holds the rig: in `capctl status`, `capctl hold` and `GET /hold`.
public struct HoldDocument: Encodable, Sendable {
    /// When it is over, by the coordinator's wall clock: RFC 3339.
    var ends: String
    /// The same instant, rig time.
    var endsRigNanoseconds: Integer64
    var holder: String
    /// What for; absent if the holder does not say.
    var note: String?
    var takenRigNanoseconds: Integer64

    public init(_ status: HoldStatus) {
        ends = RFC3339.text(realtimeNanoseconds: status.endsRealtimeNanoseconds)
        endsRigNanoseconds = Integer64(status.hold.ends.nanoseconds)
        holder = status.hold.holder.name
        note = status.hold.note.isEmpty ? nil : status.hold.note
        takenRigNanoseconds = Integer64(status.hold.taken.nanoseconds)
    }
}

/// The hold of the rig, if there is one: `capctl hold` and `GET /hold`.
public struct HoldStateDocument: Encodable, Sendable {
    /// Absent if nobody holds the rig.
    var hold: HoldDocument?

    public init(_ status: HoldStatus?) {
        hold = status.map(HoldDocument.init)
    }
}
