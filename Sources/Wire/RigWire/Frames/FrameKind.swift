/// The forms in which the frames channel publishes a camera's frames.
public enum FrameKind: String, Hashable, Codable, Sendable, CaseIterable {
    /// For viewing by people: within the size that the node's configuration allows.
    case preview
    /// As the node stores them.
    case full
    /// Sides divided by two, four and eight.
    case half
    case quarter
    case eighth

    /// The number by which the sides of the camera's frame are divided, rounding up; nil for `preview`, whose size the node chooses.
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
