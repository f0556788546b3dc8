/// When the frames of a companion clip were exposed, for comparison with what a player shows.
public struct ClipTiming: Hashable, Sendable {
    /// Mid-exposure of the first frame on the node's clock.
    public var localStart: LocalTime
    /// The same instant on the rig's time line, with its bound.
    public var start: BoundedRigTime
    /// From the first frame's mid-exposure to each frame's, in nanoseconds of the node's clock: 0 first, then increasing.
    public var frameOffsets: [Int64]
    /// The index of the still among the frames, from 0.
    public var stillFrame: Int
    /// The duration of the clip in nanoseconds: to the last frame, plus one frame interval.
    public var durationNanoseconds: Int64
    /// Frames of the camera between the first and the last that did not arrive.
    public var missingFrames: Int
    /// The stretches where announced sound is missing, in order; nil if there are none, or no sound was announced.
    public var silences: [ClipSilence]?
    /// The settings of the frames, from the first one on, with an entry for each change; empty if no transaction has made any.
    public var settings: [ClipSettings]

    public init(
        localStart: LocalTime, start: BoundedRigTime, frameOffsets: [Int64], stillFrame: Int,
        durationNanoseconds: Int64, missingFrames: Int, silences: [ClipSilence]? = nil,
        settings: [ClipSettings] = []
    ) {
        self.localStart = localStart
        self.start = start
        self.frameOffsets = frameOffsets
        self.stillFrame = stillFrame
        self.durationNanoseconds = durationNanoseconds
        self.missingFrames = missingFrames
        self.silences = silences
        self.settings = settings
    }

    /// The time at which the still is shown, in nanoseconds from the clip's start.
    public var photoDisplayNanoseconds: Int64 {
        frameOffsets.indices.contains(stillFrame) ? frameOffsets[stillFrame] : 0
    }
}

extension ClipTiming: Codable {
    private enum CodingKeys: String, CodingKey {
        case localStart = "localStart"
        case start = "start"
        case frameOffsets = "frameOffsets"
        case stillFrame = "stillFrame"
        case durationNanoseconds = "durationNanoseconds"
        case missingFrames = "missingFrames"
        case silences = "silences"
        /// Absent if empty.
        case settings = "settings"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            localStart: try container.decode(LocalTime.self, forKey: .localStart),
            start: try container.decode(BoundedRigTime.self, forKey: .start),
            frameOffsets: try container.decode([Int64].self, forKey: .frameOffsets),
            stillFrame: try container.decode(Int.self, forKey: .stillFrame),
            durationNanoseconds: try container.decode(Int64.self, forKey: .durationNanoseconds),
            missingFrames: try container.decode(Int.self, forKey: .missingFrames),
            silences: try container.decodeIfPresent([ClipSilence].self, forKey: .silences),
            settings: try container.decodeIfPresent([ClipSettings].self, forKey: .settings) ?? [])
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(localStart, forKey: .localStart)
        try container.encode(start, forKey: .start)
        try container.encode(frameOffsets, forKey: .frameOffsets)
        try container.encode(stillFrame, forKey: .stillFrame)
        try container.encode(durationNanoseconds, forKey: .durationNanoseconds)
        try container.encode(missingFrames, forKey: .missingFrames)
        try container.encodeIfPresent(silences, forKey: .silences)
        if !settings.isEmpty { try container.encode(settings, forKey: .settings) }
    }
}

/// A stretch of a clip where announced sound is missing.
public struct ClipSilence: Hashable, Codable, Sendable {
    /// Why the sound is missing.
    public enum Cause: String, Hashable, Codable, Sendable, CaseIterable {
        /// The device overran: the machine was too busy to read its sound.
        case overrun
        /// The session was too late to read the microphone's sound.
        case droppedByNode
        /// The microphone was not open: nothing had needed it, or it had failed.
        case notOpen
        /// The sound is older than what is kept.
        case tooOld
        /// The sound had not arrived when the wait for it ended.
        case notArrived

        /// The cause, as the end of a sentence about the sound.
        public var explanation: String {
            switch self {
            case .overrun: "the machine was too busy to record it"
            case .droppedByNode: "the agent was too busy to process it"
            case .notOpen: "the microphone was not running"
            case .tooOld: "it was not kept long enough"
            case .notArrived: "the microphone did not deliver it"
            }
        }
    }

    /// The start of the stretch, in nanoseconds from the clip's start.
    public var startNanoseconds: Int64
    public var durationNanoseconds: Int64
    public var cause: Cause

    public init(startNanoseconds: Int64, durationNanoseconds: Int64, cause: Cause) {
        self.startNanoseconds = startNanoseconds
        self.durationNanoseconds = durationNanoseconds
        self.cause = cause
    }

    private enum CodingKeys: String, CodingKey {
        case startNanoseconds = "startNanoseconds"
        case durationNanoseconds = "durationNanoseconds"
        case cause = "cause"
    }

    /// The most stretches that a clip lists.
    public static let limit = 32
}
