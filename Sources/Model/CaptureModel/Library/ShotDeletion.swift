/// That a shot or take was deleted from the library. It outlasts the files, so that nobody takes the id for one that was never used.
public struct ShotDeletion: Hashable, Codable, Sendable {
    public enum Reason: String, Hashable, Codable, Sendable, CaseIterable {
        /// Somebody asked for it.
        case requested
        /// It was older than the library keeps shots.
        case age
        /// The library's disk had too few free bytes.
        case space
    }

    public var shot: ShotID
    public var isTake: Bool
    /// Wall clock of the coordinator, nanoseconds since 1970.
    public var realtimeNanoseconds: Int64
    /// The name of the principal.
    public var by: String
    public var reason: Reason
    /// Whether no other complete copy was known.
    public var wasOnlyCopy: Bool
    /// The stored files that the manifest named, and their bytes.
    public var files: Int
    public var byteCount: Int64

    /// - Parameter wasOnlyCopy: Whether no other complete copy is known.
    public init(
        of shot: Shot, at realtimeNanoseconds: Int64, by principal: Principal, _ reason: Reason, wasOnlyCopy: Bool
    ) {
        let stored = shot.captures.flatMap(\.files).filter(\.isStored)
        self.init(
            shot: shot.id, isTake: shot.take != nil, realtimeNanoseconds: realtimeNanoseconds, by: principal.name,
            reason: reason, wasOnlyCopy: wasOnlyCopy, files: stored.count,
            byteCount: stored.reduce(0) { $0.addingReportingOverflow($1.byteCount ?? 0).partialValue })
    }

    public init(
        shot: ShotID, isTake: Bool, realtimeNanoseconds: Int64, by: String, reason: Reason, wasOnlyCopy: Bool,
        files: Int, byteCount: Int64
    ) {
        self.shot = shot
        self.isTake = isTake
        self.realtimeNanoseconds = realtimeNanoseconds
        self.by = by
        self.reason = reason
        self.wasOnlyCopy = wasOnlyCopy
        self.files = files
        self.byteCount = byteCount
    }
}

/// A request to delete a shot or take.
public struct ShotDeletionRequest: Hashable, Sendable {
    public var shot: ShotID
    /// Whether it is deleted although no other copy is known.
    public var evenOnlyCopy: Bool

    public init(shot: ShotID, evenOnlyCopy: Bool) {
        self.shot = shot
        self.evenOnlyCopy = evenOnlyCopy
    }
}
