package import CaptureModel
package import RigSecurity

/// The coordinator's own key, as front ends replace it.
package protocol CoordinatorKey: Sendable {
    /// The public key that the usual ports have, or are about to have.
    var publicKey: PublicKey { get }

    /// The replacement under way; nil if there is none.
    var rotation: KeyRotationStatus? { get }

    /// Replaces the key. Returns once the new key is durable; the ports change a moment later, so that the answer arrives.
    ///
    /// | `from` | replacement under way | |
    /// |---|---|---|
    /// | the current key | no | begins |
    /// | the current key | yes | `conflict`, but a compromised key ends the one under way and begins another |
    /// | the key that is being replaced | yes | returns its status; if compromised, the old key ends at once |
    /// | another key | – | `conflict` |
    ///
    /// - Parameters:
    ///   - from: The key that the requester knows, so that a repeated request does not replace the key twice.
    ///   - isCompromised: Somebody else may have the secret key. It is no longer served, so that holders that are not connected now must join again.
    /// - Throws: `conflict`, `inputOutput`, or `unsupportedSettings` for a key that the program cannot replace.
    func rotate(
        from: PublicKey, isCompromised: Bool, by principal: Principal
    ) async throws(RigProblem) -> KeyRotationStatus

    /// Returns the key pair and the registry of keys, encrypted.
    /// - Throws: `unsupportedSettings` for a short passphrase, `inputOutput`.
    func export(passphrase: String, by principal: Principal) async throws(RigProblem) -> [UInt8]

    /// Ends the old key before every holder has the new one.
    /// - Returns: The status before. Its unconfirmed holders must join again.
    /// - Throws: `conflict` if no replacement is under way.
    func endRotation(by principal: Principal) async throws(RigProblem) -> KeyRotationStatus
}

/// A replacement of the coordinator's key.
package struct KeyRotationStatus: Hashable, Sendable {
    package var new: PublicKey
    package var old: PublicKey
    /// Whether the coordinator still listens with the old key, for those that do not know the new one.
    package var isOldServed: Bool
    /// The holders that have not connected with the new key yet, in order of name.
    package var unconfirmed: [KeyHolder]

    package init(new: PublicKey, old: PublicKey, isOldServed: Bool, unconfirmed: [KeyHolder]) {
        self.new = new
        self.old = old
        self.isOldServed = isOldServed
        self.unconfirmed = unconfirmed
    }
}
