/// Why a session's configuration was not applied: the step that failed, and the cause. The previous one stays in
/// effect.
public struct ConfigurationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The steps of a commit, in their order.
    public enum Step: String, Hashable, Sendable, CaseIterable {
        /// Another commit is in progress, or was made in between.
        case begin
        /// The configuration contradicts itself.
        case validate
        /// The camera has no format for the preset.
        case resolvePreset
        /// Captures in progress need the camera in its present configuration.
        case finishCaptures
        /// The camera does not start in this configuration.
        case start
    }

    public var step: Step
    /// A sentence with the problem and its reason.
    public var cause: String
    /// Whether the old configuration runs again, if it ran. A camera may also fail to return.
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
