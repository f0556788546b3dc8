public import CaptureModel
public import RigProtocol

extension HoldStatus {
    public init(wire: WireHold) throws(WireError) {
        let reader = FieldReader("Hold")
        guard let holder = Principal(recorded: wire.holder, isAuthenticated: wire.authenticated) else {
            throw reader.invalid(
                "holder", "must have 1 to \(Principal.longestName) bytes without control characters")
        }
        let taken = try reader.number(wire.takenRigNs, "taken_rig_ns", in: WireLimits.nonNegative)
        let ends = try reader.number(wire.endsRigNs, "ends_rig_ns", in: WireLimits.nonNegative)
        guard ends >= taken else { throw reader.invalid("ends_rig_ns", "is before taken_rig_ns") }
        self.init(
            RigHold(
                holder: holder, note: try reader.storedNote(wire.note), taken: RigTime(nanoseconds: taken),
                ends: RigTime(nanoseconds: ends)),
            endsRealtimeNanoseconds: wire.endsRealtimeNs)
    }

    public var wire: WireHold {
        var wire = WireHold()
        wire.holder = hold.holder.name
        wire.authenticated = hold.holder.isAuthenticated
        wire.note = hold.note
        wire.takenRigNs = hold.taken.nanoseconds
        wire.endsRigNs = hold.ends.nanoseconds
        wire.endsRealtimeNs = endsRealtimeNanoseconds
        return wire
    }
}

extension HoldRequest {
    public init(wire: WireTakeHold) throws(WireError) {
        let reader = FieldReader("TakeHold")
        self.init(
            duration: .nanoseconds(try reader.number(wire.durationNs, "duration_ns", in: WireLimits.holdDuration)),
            note: wire.hasNote ? try reader.holdNote(wire.note) : nil, overrides: try reader.overridden(wire.overrides))
    }

    public var wire: WireTakeHold {
        var wire = WireTakeHold()
        wire.durationNs = duration.nanoseconds
        if let note { wire.note = note }
        wire.overrides = overrides ?? ""
        return wire
    }
}

extension FieldReader {
    fileprivate func holdNote(_ text: String) throws(WireError) -> String {
        guard RigHold.isValid(note: text) else {
            throw invalid("note", "must have at most \(RigHold.longestNote) bytes without control characters")
        }
        return text
    }

    /// Returns the note of a hold in a form that is safe to display. Holds of earlier versions have characters that no request may have.
    fileprivate func storedNote(_ text: String) throws(WireError) -> String {
        guard text.utf8.count <= RigHold.longestNote, !text.hasControls else {
            throw invalid("note", "must have at most \(RigHold.longestNote) bytes without control characters")
        }
        // Of the same length: what is replaced has three bytes too.
        return text.printable()
    }

    /// Returns the name of the holder whose hold is to be ended, which an earlier version may have accepted; nil if the field is empty.
    public func overridden(_ name: String) throws(WireError) -> String? {
        guard !name.isEmpty else { return nil }
        guard Principal(recorded: name, isAuthenticated: false) != nil else {
            throw invalid("overrides", "must have at most \(Principal.longestName) bytes without control characters")
        }
        return name
    }
}
