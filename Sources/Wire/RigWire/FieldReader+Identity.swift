public import CaptureModel
public import FoundationEssentials

extension FieldReader {
    /// The name of a node or device.
    public func name<Subject>(_ text: String, _ field: String) throws(WireError) -> Name<Subject> {
        do {
            return try Name(text)
        } catch {
            throw invalid(field, "must be 1 to 24 of a-z, 0-9, '-' and '_', starting with a letter or digit")
        }
    }

    /// The 16 bytes of a shot's id.
    public func shotID(_ bytes: Data, _ field: String = "shot_id") throws(WireError) -> ShotID {
        guard let id = ShotID(bytes: bytes) else {
            throw invalid(field, "must be the 16 bytes of a UUIDv7, and has \(bytes.count)")
        }
        return id
    }

    /// An epoch; never 0.
    public func epoch(_ value: UInt64, _ field: String = "epoch") throws(WireError) -> Epoch {
        guard let epoch = Epoch(rawValue: value) else { throw invalid(field, "must not be 0") }
        return epoch
    }

    /// The id of a rig time line: a word.
    public func rigClockID(_ text: String, _ field: String = "rig_clock_id") throws(WireError) -> RigClockID {
        RigClockID(rawValue: try word(text, field))
    }

    /// An angle of orientation.
    func orientation(_ degrees: UInt32, _ field: String = "orientation_degrees") throws(WireError) -> Orientation {
        guard let orientation = Orientation(rawValue: Int(degrees)) else {
            throw invalid(field, "is \(degrees); allowed are 0, 90, 180 and 270")
        }
        return orientation
    }
}
