/// One file of a capture, with its outcome.
public struct CapturedFile: Hashable, Sendable {
    public var kind: AssetKind
    public var outcome: Outcome
    public var problem: RigProblem?
    /// Why the file is less than was requested, although it is complete and stored. Its capture is then partial. nil if
    /// the file is as requested.
    public var shortfall: RigProblem?
    /// The path in the shot's folder, once stored.
    public var path: String?
    public var byteCount: Int64?
    public var digest: ContentDigest?
    /// Rig time at which the file was durable in the library.
    public var storedAt: RigTime?

    public enum Outcome: String, Hashable, Codable, Sendable, CaseIterable {
        /// No outcome yet.
        case pending
        /// Durable in the library before the shot was answered.
        case done
        /// Durable in the library after the shot had been answered without it.
        case late
        /// There is no file, because there is no frame.
        case missed
        /// The file was made and lost; `problem` says why.
        case failed
    }

    public init(kind: AssetKind) {
        self.kind = kind
        self.outcome = .pending
    }

    /// Whether the file is in the library.
    public var isStored: Bool { outcome == .done || outcome == .late }
}
