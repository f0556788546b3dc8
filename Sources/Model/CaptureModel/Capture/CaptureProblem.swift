/// Why a capture or a file is not what was asked for: a code for programs and a sentence for people.
public struct CaptureProblem: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The kinds of problem; the protocol documents describe each.
    public enum Code: String, Hashable, Codable, Sendable, CaseIterable {
        /// The camera is not streaming.
        case notRunning
        /// The last good frame is older than two frame intervals, and no other one came.
        case noRecentFrame
        /// T lies before the oldest frame in the ring.
        case beforeRing
        /// T lies farther ahead than the node accepts.
        case tooFarAhead
        /// T lies nearer than the camera takes to be set for the capture.
        case tooSoon
        /// The node has no clock estimate, or one whose bound is too wide.
        case unsynchronized
        /// The ring's memory budget cannot hold the frames of another shot.
        case noMemory
        /// The disk of the spool or library is full.
        case noSpace
        /// The settings ask for what the device does not support.
        case unsupportedSettings
        /// The selection takes no device.
        case emptySelection
        /// The node does not have this device.
        case unknownDevice
        /// The node did not answer by the deadline, or is not connected.
        case nodeUnreachable
        /// No good frame was exposed within one frame interval of T.
        case noFrameNearTime
        /// The camera went away between arming and T.
        case deviceLost
        /// The agent restarted between arming and the choice of the frame, or while a file that goes with it was made.
        case agentRestarted
        /// The frames pinned for the shot were given back before it fired.
        case expired
        /// The shot was cancelled.
        case cancelled
        /// The stored bytes differ from what the node announced.
        case corrupted
        /// Reading or writing a file failed.
        case inputOutput
        /// The program that encodes files failed, or took too long.
        case encoderFailed
        /// The shot id is in use with other content.
        case conflict
        /// The node no longer has the file it announced.
        case fileLost
        /// Somebody had the node remove the file before it was in the library.
        case discarded
        /// There is no shot with this id.
        case unknownShot
        /// The peer said something the protocol does not allow.
        case protocolViolation
    }

    public var code: Code
    /// A sentence that says what, which device or file, why, and what to do.
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
