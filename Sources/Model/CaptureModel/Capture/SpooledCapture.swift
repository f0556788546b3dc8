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

/// A file of a capture that was owed and will not be made.
public struct FailedFile: Hashable, Codable, Sendable {
    public var kind: AssetKind
    public var problem: RigProblem

    public init(kind: AssetKind, problem: RigProblem) {
        self.kind = kind
        self.problem = problem
    }

    private enum CodingKeys: String, CodingKey {
        case kind = "kind"
        case problem = "problem"
    }
}
