/// What has controls: an open device, or a stand-in for one.
public protocol ControlAccess {
    /// Every control with a single value, in the order of their ids.
    func controls() throws(VideoError) -> [VideoControl]

    /// The control of this id as it stands; nil where there is none.
    func control(_ id: UInt32) throws(VideoError) -> VideoControl?

    /// The entries of a menu control by rising index, of which there may be gaps; none for other kinds.
    func menu(of control: VideoControl) throws(VideoError) -> [VideoMenuItem]

    /// The value of a control; may wait for the hardware.
    func value(of control: VideoControl) throws(VideoError) -> Int64

    /// Sets controls by one call; may wait for the hardware. After a failure some may have been set.
    func setValues(_ assignments: [ControlAssignment]) throws(VideoError)
}

/// A control and the value it is to have.
public struct ControlAssignment: Hashable, Sendable {
    public var control: VideoControl
    public var value: Int64

    public init(_ control: VideoControl, _ value: Int64) {
        self.control = control
        self.value = value
    }
}
