/// Something that goes wrong with a virtual camera, and when.
///
/// A fault begins when all of its conditions (`fromFrame`, `afterSeconds`) hold, at once when it has none, and lasts until
/// `forSeconds` have passed or it has struck `count` times; without either it lasts until it is cleared.
public struct VirtualFault: Hashable, Sendable {
    /// What goes wrong.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        /// The frame is lost before the driver has it: a gap in the sequence numbers.
        case dropped
        /// The JPEG is cut off in the middle.
        case torn
        /// The last picture comes again, time code and all, under a stamp and a sequence number of its own.
        case frozen
        /// The driver flags the frame as erroneous.
        case erroneous
        /// Nothing comes; the sequence numbers run on, as exposures do.
        case stalled
        /// The first exposure after `start` is late by `delaySeconds`.
        case slowStart
        /// The device is gone: the stream ends, and `start` finds no device.
        case unplugged
        /// Another program holds the device: `start` fails.
        case busy
        /// The device may not be opened: `start` fails.
        case denied
    }

    public var kind: Kind
    /// Frames exposed since the camera was first started before this begins; they are counted on across restarts.
    public var fromFrame: UInt64?
    /// Seconds since the camera was first started before this begins.
    public var afterSeconds: Double?
    /// How often it strikes: frames, or for `busy`, `denied` and `slowStart` starts.
    public var count: Int?
    /// Seconds from its beginning to its end.
    public var forSeconds: Double?
    /// Strikes the first of every so many frames.
    public var every: Int?
    /// Strikes each frame with this chance, 0 to 1; the dice are seeded by the configuration.
    public var probability: Double?
    /// Only for `slowStart`: seconds added before the first exposure; 2 when left out.
    public var delaySeconds: Double?

    public init(
        _ kind: Kind, fromFrame: UInt64? = nil, afterSeconds: Double? = nil, count: Int? = nil,
        forSeconds: Double? = nil, every: Int? = nil, probability: Double? = nil, delaySeconds: Double? = nil
    ) {
        self.kind = kind
        self.fromFrame = fromFrame
        self.afterSeconds = afterSeconds
        self.count = count
        self.forSeconds = forSeconds
        self.every = every
        self.probability = probability
        self.delaySeconds = delaySeconds
    }
}

extension VirtualFault: Codable {
    /// The keys a fault may have.
    public enum CodingKeys: String, CodingKey, CaseIterable, Sendable {
        case kind, fromFrame, afterSeconds, count, forSeconds, every, probability, delaySeconds
    }
}
