/// The pictures that a camera's frames are to be had as on the frames channel.
public enum FrameKind: String, Hashable, Codable, Sendable, CaseIterable {
    /// For people to watch: within the size that the node's configuration allows.
    case preview
    /// As the node holds them.
    case full
    /// Sides divided by two, four and eight.
    case half
    case quarter
    case eighth

    /// By which the sides of the camera's frame are divided, rounding up; nil for `preview`, whose node decides.
    public var divisor: Int? {
        switch self {
        case .preview: nil
        case .full: 1
        case .half: 2
        case .quarter: 4
        case .eighth: 8
        }
    }
}
