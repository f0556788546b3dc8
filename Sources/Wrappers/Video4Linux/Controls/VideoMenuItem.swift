import CVideo4Linux

/// One entry of a menu control (`VIDIOC_QUERYMENU`).
public struct VideoMenuItem: Hashable, Sendable {
    /// The value of the control that chooses it.
    public var index: Int64
    /// The driver's words, or the number of an integer menu.
    public var name: String

    public init(index: Int64, name: String) {
        self.index = index
        self.name = name
    }

    init(index: Int64, _ item: cv4l_menu_item, _ kind: VideoControl.Kind) {
        self.init(index: index, name: kind == .integerMenu ? String(item.value) : fixedText(item.name))
    }
}
