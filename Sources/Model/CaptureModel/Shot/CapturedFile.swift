/// One file of a capture, with its outcome.
public struct CapturedFile: Hashable, Sendable {
    public var kind: AssetKind
    public var outcome: Outcome
    public var problem: CaptureProblem?
    /// Why the file is less than what was asked for: it is whole, and its capture is partial; nil where it is that.
    public var shortfall: CaptureProblem?
    /// Path inside the shot's folder, once stored.
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
        /// There is no such file, because there is no frame.
        case missed
        /// The file was made and lost; the problem says why.
        case failed
    }

    public init(kind: AssetKind) {
        self.kind = kind
        self.outcome = .pending
    }

    /// Whether the file lies in the library.
    public var isStored: Bool { outcome == .done || outcome == .late }
}
