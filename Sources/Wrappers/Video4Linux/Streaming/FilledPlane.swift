import CVideo4Linux

/// Which bytes of a memory plane the driver has filled.
public struct FilledPlane: Hashable, Sendable {
    /// Where the picture's bytes begin.
    public var offset: Int
    /// Where they end: both count from the start of the memory plane.
    public var end: Int

    public init(offset: Int = 0, end: Int) {
        self.offset = offset
        self.end = end
    }

    init(_ plane: cv4l_filled_plane) {
        self.init(offset: Int(plane.data_offset), end: Int(plane.bytes_used))
    }
}
