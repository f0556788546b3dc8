/// Why a session's configuration was not taken over: the step that failed, and the cause. The one before counts on.
public struct ConfigurationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The steps of a commit, in their order.
    public enum Step: String, Hashable, Sendable, CaseIterable {
        /// Another commit is under way, or has come between.
        case begin
        /// The configuration contradicts itself.
        case validate
        /// The preset has no format on this camera.
        case resolvePreset
        /// Captures are under way that need the camera as it is.
        case finishCaptures
        /// The camera does not start as it is configured.
        case start
    }

    public var step: Step
    /// A sentence: what and why.
    public var cause: String
    /// Whether the old configuration runs again, where it ran; a camera may also not come back.
    public var isRestored: Bool

    public init(_ step: Step, _ cause: String, isRestored: Bool = true) {
        self.step = step
        self.cause = cause
        self.isRestored = isRestored
    }

    public var description: String {
        "\(step.rawValue): \(cause)" + (isRestored ? "" : "; the old configuration does not run again yet either")
    }
}
