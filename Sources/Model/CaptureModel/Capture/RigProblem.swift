/// Why a capture or a file is not as requested: a code for programs and a sentence for people.
public struct RigProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of problem; the protocol documents describe each.
    public enum Code: String, Hashable, Codable, Sendable, CaseIterable {
        /// The camera is not streaming.
        case notRunning
        /// The last good frame is older than two frame intervals, and no other one arrived.
        case noRecentFrame
        /// T is before the oldest frame in the ring.
        case beforeRing
        /// T is farther ahead than the node accepts.
        case tooFarAhead
        /// T is earlier than the camera can be set for the capture.
        case tooSoon
        /// The node has no clock estimate, or one whose bound is too wide.
        case unsynchronized
        /// The ring's memory budget cannot hold the frames of another shot.
        case noMemory
        /// The disk of the spool or library is full.
        case noSpace
        /// The device does not support the settings.
        case unsupportedSettings
        /// The selection matches no device.
        case emptySelection
        /// The node does not have this device.
        case unknownDevice
        /// The node did not answer by the deadline, or is not connected.
        case nodeUnreachable
        /// No good frame was exposed within one frame interval of T.
        case noFrameNearTime
        /// The camera was lost between arming and T.
        case deviceLost
        /// The agent restarted between arming and the choice of the frame, or while a companion file was being made.
        case agentRestarted
        /// The frames pinned for the shot were released before it fired.
        case expired
        /// The shot was cancelled.
        case cancelled
        /// The stored bytes differ from what the node announced.
        case corrupted
        /// A file could not be read or written.
        case inputOutput
        /// The program that encodes files failed, or took too long.
        case encoderFailed
        /// The shot id is in use with other content.
        case conflict
        /// The node no longer has the file that it announced, or the library no longer has the one that it stored.
        case fileLost
        /// The file was discarded on request before it was in the library.
        case discarded
        /// There is no shot with this id.
        case unknownShot
        /// The shot's manifest lists no such stored file.
        case unknownFile
        /// The requester does not have the permission that the request needs.
        case notPermitted
        /// Somebody else holds the rig.
        case held
        /// Something has changed since the requester read it, or has no version to compare.
        case preconditionFailed
        /// The session of a request is not known or no longer valid.
        case sessionEnded
        /// The peer violated the protocol.
        case protocolViolation
        /// There is no small picture of a stored file.
        case noPicture
        /// There is no profile of settings with this name and version.
        case unknownProfile
        /// The shot was deleted from the library.
        case deleted
        /// The shot is not deleted, because no other copy of it is known.
        case onlyCopy
        /// A camera is known before T to exceed a limit of the shot.
        case limitsExceeded
    }

    public var code: Code
    /// A sentence that says what failed, on which device or file, why, and what to do.
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Creates the problem that a peer reports, whose code may be one of a later version.
    ///
    /// Such a code becomes `protocolViolation`, because there is no code for other problems. The message begins with the peer's code and is kept.
    public init(code word: String, _ message: String) {
        if let code = Code(rawValue: word) {
            self.init(code, message)
        } else {
            self.init(
                .protocolViolation, "problem code '\(word.excerpt)', which this version does not know: \(message)")
        }
    }

    public var description: String { message }
}

extension RigProblem: Codable {
    private enum CodingKeys: String, CodingKey {
        case code = "code"
        case message = "message"
    }

    /// A stored file with a code that this version does not know is not read, since it would be written again with another one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let message = try container.decode(String.self, forKey: .message)
        if decoder is any MessageDecoder {
            self.init(code: try container.decode(String.self, forKey: .code), message)
        } else {
            self.init(try container.decode(Code.self, forKey: .code), message)
        }
    }
}
