public import CaptureModel
public import RigProtocol

extension CaptureCounts {
    /// - Throws: ``WireError`` if the counts do not add up to all captures, or companions are awaited of more captures than were captured.
    public init(wire: WireCaptureCounts) throws(WireError) {
        self.init(
            expected: Int(wire.expected), armed: Int(wire.armed), captured: Int(wire.captured),
            awaitingCompanions: Int(wire.awaitingCompanions), done: Int(wire.done), partial: Int(wire.partial),
            missed: Int(wire.missed), failed: Int(wire.failed))
        let reader = FieldReader("CaptureCounts")
        guard preparing == Int(wire.preparing) else {
            throw reader.invalid("expected", "is \(wire.expected), and the other counts together are another number")
        }
        guard awaitingCompanions <= captured else {
            throw reader.invalid("awaiting_companions", "is more than captured")
        }
    }

    public var wire: WireCaptureCounts {
        var wire = WireCaptureCounts()
        wire.expected = UInt32(clamping: expected)
        wire.preparing = UInt32(clamping: preparing)
        wire.armed = UInt32(clamping: armed)
        wire.captured = UInt32(clamping: captured)
        wire.awaitingCompanions = UInt32(clamping: awaitingCompanions)
        wire.done = UInt32(clamping: done)
        wire.partial = UInt32(clamping: partial)
        wire.missed = UInt32(clamping: missed)
        wire.failed = UInt32(clamping: failed)
        return wire
    }
}
