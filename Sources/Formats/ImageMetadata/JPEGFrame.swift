/// What the frame header (SOF) says.
public struct JPEGFrame: Hashable, Sendable {
    /// One colour component.
    public struct Component: Hashable, Sendable {
        /// The component's identifier: 1, 2, 3 for Y, Cb, Cr in most files.
        public let identifier: UInt8
        /// Horizontal sampling factor, 1...4.
        public let horizontalSampling: Int
        /// Vertical sampling factor, 1...4.
        public let verticalSampling: Int
        /// Index of its quantization table, 0...3.
        public let quantizationTable: Int
    }

    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    /// Bits per sample, 8 or 12.
    public let precision: Int
    /// Whether the image comes in several scans of growing detail (SOF2).
    public let isProgressive: Bool
    /// The colour components, in file order.
    public let components: [Component]

    /// Number of minimum coded units in a scan of all components.
    public var unitCount: Int {
        // A scan of one component counts its own blocks, whatever the sampling factors say.
        let across = components.count == 1 ? 8 : 8 * (components.map(\.horizontalSampling).max() ?? 1)
        let down = components.count == 1 ? 8 : 8 * (components.map(\.verticalSampling).max() ?? 1)
        return ((width + across - 1) / across) * ((height + down - 1) / down)
    }
}
