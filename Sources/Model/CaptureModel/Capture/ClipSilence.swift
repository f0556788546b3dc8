/// A stretch of a clip that was to have sound and has none.
public struct ClipSilence: Hashable, Sendable {
    /// Why there is none.
    public enum Cause: String, Hashable, Codable, Sendable, CaseIterable {
        /// The device overran: the machine was too busy to take its sound.
        case overrun
        /// The session was too late to take what the microphone had.
        case droppedByNode
        /// The microphone was not open: nothing had needed it, or it had failed.
        case notOpen
        /// It is older than what is kept.
        case tooOld
        /// It had not come when it was waited for no longer.
        case notArrived

        /// The cause, as the end of a sentence about the sound.
        public var explanation: String {
            switch self {
            case .overrun: "the machine was too busy to take it"
            case .droppedByNode: "the agent was too busy to take it"
            case .notOpen: "the microphone was not running"
            case .tooOld: "it was not kept so long"
            case .notArrived: "it did not come from the microphone"
            }
        }
    }

    /// When it begins, nanoseconds from the clip's start.
    public var startNanoseconds: Int64
    public var durationNanoseconds: Int64
    public var cause: Cause

    public init(startNanoseconds: Int64, durationNanoseconds: Int64, cause: Cause) {
        self.startNanoseconds = startNanoseconds
        self.durationNanoseconds = durationNanoseconds
        self.cause = cause
    }

    /// The most stretches that a clip names.
    public static let limit = 32
}
