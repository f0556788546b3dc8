import Glibc

/// A device with controls: an open device, or a substitute for tests.
public protocol ControlAccess {
    /// Every control with a single value, in the order of their ids.
    func controls() throws(VideoError) -> [VideoControl]

    /// Returns the current state of the control with this id; nil if there is none.
    func control(_ id: UInt32) throws(VideoError) -> VideoControl?

    /// Returns the entries of a menu control in order of index, possibly with gaps; empty for other kinds.
    func menu(of control: VideoControl) throws(VideoError) -> [VideoMenuItem]

    /// Returns the value of a control. May wait for the hardware.
    func value(of control: VideoControl) throws(VideoError) -> Int64

    /// Sets controls with one call. May wait for the hardware. After a failure some may have been set.
    func setValues(_ assignments: [ControlAssignment]) throws(VideoError)
}
