public import RigClient

/// How stored files compare with their manifests: `capctl shots verify`.
public struct VerificationDocument: Encodable, Sendable {
    /// Manifests that cannot be read, with path and reason, and shots that cannot be verified.
    var damaged: [String]
    var moreDamaged: Int
    /// Files that belong to no shot; empty if only shots were verified.
    var unclaimed: [Verification.File]
    var unclaimedIsCut: Bool
    var verifications: [Verification]

    /// - Parameters:
    ///   - damaged: Manifests that cannot be read, with path and reason, and shots that cannot be verified.
    ///   - moreDamaged: The number of further manifests that cannot be read.
    ///   - unclaimed: nil if only shots were verified.
    public init(_ verifications: [Verification], damaged: [String], moreDamaged: Int, unclaimed: UnclaimedFiles?) {
        self.damaged = damaged
        self.moreDamaged = moreDamaged
        self.unclaimed = unclaimed?.files ?? []
        unclaimedIsCut = unclaimed?.isCut ?? false
        self.verifications = verifications
    }
}
