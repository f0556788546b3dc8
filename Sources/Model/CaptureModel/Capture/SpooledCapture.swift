/// A capture that lies in a node's spool, for people and programs that look after it.
public struct SpooledCapture: Hashable, Codable, Sendable {
    /// Why it lies there.
    public enum State: String, Hashable, Codable, Sendable, CaseIterable {
        /// Whole; it stays until the library has it.
        case waiting
        /// Of a take: it is being recorded, or its movie is still to be finished.
        case recording
        /// Whole, and the coordinator's library does not know its shot, or expects no such camera in it.
        case orphan
        /// Its manifest or a file of it is missing or has another size: somebody has removed or changed it since it was stored.
        case incomplete
        /// Moved aside by a start of the agent that found manifest or files damaged; never offered.
        case damaged
    }

    public var key: CaptureKey
    /// Files of it that are in the spool.
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

    /// A capture that is offered, or will be.
    public init(_ report: CaptureReport) {
        self.init(
            key: report.key, files: report.files.count, byteCount: report.files.reduce(0) { $0 + $1.byteCount },
            state: report.owedSegment == nil ? .waiting : .recording)
    }

    /// The details of the event that tells of its removal.
    public var discardDetails: [String: String] {
        ["state": state.rawValue, "files": "\(files)", "byteCount": "\(byteCount)"]
    }
}

/// A part of what lies in a node's spool, oldest shot first.
public struct SpoolListing: Hashable, Sendable {
    public var captures: [SpooledCapture]
    /// Whether there are further ones after these.
    public var hasMore: Bool

    public init(captures: [SpooledCapture], hasMore: Bool) {
        self.captures = captures
        self.hasMore = hasMore
    }
}
