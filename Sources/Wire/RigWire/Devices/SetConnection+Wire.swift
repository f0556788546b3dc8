public import CaptureModel
public import RigProtocol

extension WireSetConnection {
    /// What is asked for, checked; nil for what is to stay as it is.
    public func checked() throws(WireError) -> (orientation: Orientation?, isMirrored: Bool?) {
        let reader = FieldReader("SetConnection")
        let orientation = hasOrientationDegrees ? try reader.orientation(orientationDegrees) : nil
        return (orientation, hasMirrored ? mirrored : nil)
    }
}
