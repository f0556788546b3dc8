/// A capture in a node's spool, for people and programs that maintain the spool.
public struct SpooledCapture: Hashable, Codable, Sendable {
    /// Why it is in the spool.
    public enum State: String, Hashable, Codable, Sendable, CaseIterable {
        /// Complete; it stays until the library has it.
        case waiting
        /// Part of a take: it is being recorded, or its movie is not finished.
        case recording
        /// Complete, but the coordinator's library does not know its shot, or the shot does not expect this camera.
        case orphan
        /// Its manifest or one of its files is missing or has another size: it was removed or changed after it was stored.
        case incomplete
        /// Moved aside by a start of the agent that found its manifest or files damaged. It is never offered.
        case damaged
    }

    public var key: CaptureKey
    /// The number of its files in the spool.
    public var files: Int
    /// Bytes of these files.
    public var byteCount: Int64
    public var state: State

    public init(key: CaptureKey, files: Int, byteCount: Int64, state: State) {
        self.key = key
        self.files = files
        self.byteCount = byteCount
        self.state = state
    }

    /// Creates the entry of a capture that is offered, or will be.
    public init(_ report: CaptureReport) {
        self.init(
            key: report.key, files: report.files.count, byteCount: report.files.reduce(0) { $0 + $1.byteCount },
            state: report.owedSegment == nil ? .waiting : .recording)
    }

    /// The details of the event that reports its removal.
    public var discardDetails: [String: String] {
        ["state": state.rawValue, "files": "\(files)", "byteCount": "\(byteCount)"]
    }
}

/// A part of the contents of a node's spool, oldest shot first.
public struct SpoolListing: Hashable, Sendable {
    public var captures: [SpooledCapture]
    /// Whether there are further captures after these.
    public var hasMore: Bool

    public init(captures: [SpooledCapture], hasMore: Bool) {
        self.captures = captures
        self.hasMore = hasMore
    }
}

/// A node's report of a capture that it has made: the frame that it chose, the files that are durable in its spool, and
/// those that are outstanding or failed.
///
/// Sent when the photo is durable, when a further file is durable or has failed, and in the inventory of every hello
/// until its files are released. Later reports add to earlier ones and never contradict them.
public struct CaptureReport: Hashable, Sendable {
    public var key: CaptureKey
    public var resolved: ResolvedPhotoSettings
    public var timing: FrameTiming
    public var files: [SpooledFile]
    /// Files that are being made.
    public var owed: [AssetKind]
    /// Files that were owed and failed. Each is listed until the coordinator's manifest records it.
    public var failed: [FailedFile]
    /// The frames of its clip, once there is a clip.
    public var clip: ClipTiming?
    /// How long the stream was interrupted for it; nil if the still is a frame of the stream.
    public var streamGap: StreamGap?
    /// The result of its recording, once it has ended.
    public var movie: RecordedMovie?
    /// The totals of the finished files, if the recording has several files and continues. For the node itself, not on the wire.
    public var recorded: RecordingTally?
    /// What the coordinator does not believe of it. For the coordinator itself, not on the wire.
    public var doubts: [DoubtedClaim] = []

    public init(
        key: CaptureKey, resolved: ResolvedPhotoSettings, timing: FrameTiming, files: [SpooledFile],
        owed: [AssetKind] = [], failed: [FailedFile] = [], clip: ClipTiming? = nil, streamGap: StreamGap? = nil,
        movie: RecordedMovie? = nil, recorded: RecordingTally? = nil
    ) {
        self.key = key
        self.resolved = resolved
        self.timing = timing
        self.files = files
        self.owed = owed
        self.failed = failed
        self.clip = clip
        self.streamGap = streamGap
        self.movie = movie
        self.recorded = recorded
    }

    /// Whether nothing of it is outstanding.
    public var isSpent: Bool { files.isEmpty && owed.isEmpty && failed.isEmpty }

    /// The first file of a recording that is being recorded or finished; nil if there is none.
    public var owedSegment: SegmentNumber? { owed.filter(\.isMovie).compactMap(\.segment).min() }
}

/// The SHA-256 of a file's bytes.
public struct ContentDigest: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// - Returns: nil unless there are 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Parses 64 hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 64 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        var high: UInt8?
        for digit in text.utf8 {
            guard let value = Self.value(ofDigit: digit) else { return nil }
            guard let first = high else {
                high = value
                continue
            }
            bytes.append(first << 4 | value)
            high = nil
        }
        self.bytes = bytes
    }

    /// - Returns: nil unless the ASCII character is a hexadecimal digit.
    private static func value(ofDigit character: UInt8) -> UInt8? {
        if character >= 0x30, character <= 0x39 { return character - 0x30 }
        // In lower case.
        let letter = character | 0x20
        return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : nil
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// 64 lower-case hexadecimal digits.
    public var description: String {
        let digits = Self.digits
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension ContentDigest: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = ContentDigest(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a digest has 64 hexadecimal digits")
        }
        self = digest
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A file of a capture that was owed and will not be made.
public struct FailedFile: Hashable, Sendable {
    public var kind: AssetKind
    public var problem: CaptureProblem

    public init(kind: AssetKind, problem: CaptureProblem) {
        self.kind = kind
        self.problem = problem
    }
}

/// A complete file in a node's spool.
public struct SpooledFile: Hashable, Sendable {
    public var kind: AssetKind
    /// Size in bytes.
    public var byteCount: Int64
    public var digest: ContentDigest
    /// Why it is less than was requested, such as a clip that could not be encoded; nil if it is as requested.
    public var shortfall: CaptureProblem?

    public init(kind: AssetKind, byteCount: Int64, digest: ContentDigest, shortfall: CaptureProblem? = nil) {
        self.kind = kind
        self.byteCount = byteCount
        self.digest = digest
        self.shortfall = shortfall
    }
}
