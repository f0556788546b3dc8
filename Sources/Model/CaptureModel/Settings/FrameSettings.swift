/// Which settings of its camera a frame was taken with, apart from those that its capture itself sets, as for a bracket.
public enum FrameSettings: Hashable, Sendable {
    /// Those of a transaction, which are the camera's revision.
    case inForce(SettingsID)
    /// They were being changed: the frame may have those before, those after or, of several values, some of both. nil stands for settings
    /// that no transaction has made, and for those of which it is not known which.
    case changing(from: SettingsID?, to: SettingsID?)
}

/// Which settings the frames of a clip were taken with, from one frame on.
public struct ClipSettings: Hashable, Sendable {
    /// Mid-exposure of the first frame that has them, in nanoseconds from the clip's start.
    public var startNanoseconds: Int64
    /// nil: none that a transaction has made.
    public var settings: FrameSettings?

    public init(startNanoseconds: Int64, settings: FrameSettings?) {
        self.startNanoseconds = startNanoseconds
        self.settings = settings
    }

    /// The most entries that a clip has. The last one may represent several; it is then ``FrameSettings/changing(from:to:)``.
    public static let limit = 32
}
