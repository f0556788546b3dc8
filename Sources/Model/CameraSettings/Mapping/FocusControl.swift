/// The controls for focusing once, as `DeviceControl.name` spells them.
public enum FocusControl {
    /// `V4L2_CID_AUTO_FOCUS_START`: a button. The camera focuses once, while its continuous automatic focus is off.
    public static let start = "auto_focus_start"
    /// `V4L2_CID_AUTO_FOCUS_STATUS`: ``FocusStatus``.
    public static let status = "auto_focus_status"
    /// `V4L2_CID_FOCUS_ABSOLUTE`.
    public static let position = "focus_absolute"
    /// `V4L2_CID_FOCUS_AUTO`; the first that the camera has counts.
    public static let continuous = ["focus_automatic_continuous", "focus_auto"]
    /// Whether the camera focuses when its scene changes. Not the driver's: the camera's node adds it to a camera that has ``start``.
    public static let refocus = "refocus_on_scene_change"

    /// Whether setting a control does nothing to the pictures by itself.
    public static func isOfNode(_ control: String) -> Bool { control == refocus }
}

/// The bits of ``FocusControl/status`` (`V4L2_AUTO_FOCUS_STATUS_*`). None is set while the camera does not focus.
public enum FocusStatus {
    public static let busy: Int64 = 1
    public static let reached: Int64 = 2
    public static let failed: Int64 = 4
}
