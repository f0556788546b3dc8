/// Why a camera cannot replace the input of a session at present: the answer to a query before the change.
public struct SwitchObjection: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: String, Hashable, Codable, Sendable, CaseIterable {
        /// The node has no other camera of this name that is enabled.
        case unknownDevice
        /// One of the two devices is a microphone.
        case notACamera
        /// One of the two cameras is being switched.
        case switching
        /// The camera that is to be replaced does not run.
        case notRunning
        /// Captures, a movie or a settings transaction need the camera that is to be replaced.
        case capturesUnderWay
        /// The replacement runs in a session of its own, or captures need it.
        case deviceInUse
        /// One of the two sessions is being configured.
        case configuring
        /// A camera offers no format for the preset of its new session, or does not say what it offers.
        case noFormat
        /// A camera may not be opened.
        case notAuthorized
    }

    public var reason: Reason
    /// The problem with which the change would be refused. Its message names the devices, and says what to do.
    public var problem: RigProblem

    public init(_ reason: Reason, _ problem: RigProblem) {
        self.reason = reason
        self.problem = problem
    }

    public var description: String { problem.message }
}
