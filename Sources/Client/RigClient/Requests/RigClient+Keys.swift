public import CaptureModel
internal import FoundationEssentials
internal import RigProtocol
public import RigSecurity
internal import RigWire

/// Requests of administrators about the keys of the rig.
extension RigClient {
    /// The keys of the rig, the invitations, and the machines that wait for approval.
    public func keys() async throws(RigClientError) -> KeyList {
        let answer = try await ask(.listKeys(.init()), operation: "keys list")
        return try reading(answer, operation: "keys list") { body throws(WireError) in
            guard case .keyList(let list) = body else { return nil }
            return try KeyList(wire: list)
        }
    }

    /// Invites a machine or person. An open invitation of the same name is withdrawn.
    /// - Returns: The invitation, and the join code, of which the coordinator keeps no copy. A secret.
    public func invite(_ name: KeyName, _ role: Role) async throws(RigClientError) -> (KeyInvitation, code: JoinCode) {
        var request = WireInviteKey()
        request.name = name.rawValue
        request.role = role.rawValue
        let answer = try await ask(.inviteKey(request), operation: "invite")
        return try reading(answer, operation: "invite") { body throws(WireError) in
            guard case .invitation(let invitation) = body else { return nil }
            let made = try KeyInvitation(wire: invitation)
            do throws(SecurityError) {
                return (made, code: try JoinCode(invitation.code))
            } catch {
                throw FieldReader("KeyInvitation").invalid("code", error.description)
            }
        }
    }

    /// Withdraws the open invitation of a name.
    public func withdrawInvitation(of name: KeyName) async throws(RigClientError) -> KeyInvitation {
        var request = WireWithdrawInvitation()
        request.name = name.rawValue
        let answer = try await ask(.withdrawInvitation(request), operation: "invite --withdraw")
        return try reading(answer, operation: "invite --withdraw") { body throws(WireError) in
            guard case .invitation(let invitation) = body else { return nil }
            return try KeyInvitation(wire: invitation)
        }
    }

    /// Admits the key of a machine that asks for approval.
    /// - Parameter fingerprint: At least 12 characters of what the machine shows.
    public func approve(
        _ fingerprint: FingerprintPrefix, as name: KeyName, _ role: Role
    ) async throws(RigClientError) -> [KeyHolder] {
        var request = WireApproveKey()
        request.fingerprint = "\(fingerprint)"
        request.name = name.rawValue
        request.role = role.rawValue
        return try await holders(.approveKey(request), operation: "keys approve")
    }

    /// Declines the request of a machine.
    public func decline(_ fingerprint: FingerprintPrefix) async throws(RigClientError) -> KeyRequest {
        var request = WireDeclineKey()
        request.fingerprint = "\(fingerprint)"
        let answer = try await ask(.declineKey(request), operation: "keys decline")
        return try reading(answer, operation: "keys decline") { body throws(WireError) in
            guard case .keyRequest(let request) = body else { return nil }
            return try KeyRequest(wire: request)
        }
    }

    /// Revokes keys for ever, and ends their connections.
    /// - Parameter key: A name, or the beginning of a fingerprint.
    /// - Returns: The holders whose keys were active.
    public func revoke(_ key: String) async throws(RigClientError) -> [KeyHolder] {
        var request = WireRevokeKey()
        request.key = key
        return try await holders(.revokeKey(request), operation: "keys revoke")
    }

    /// Gives a key's holder another name. The name of a node's key is the node's name.
    public func rename(_ name: KeyName, to newName: KeyName) async throws(RigClientError) -> [KeyHolder] {
        var request = WireRenameKey()
        request.name = name.rawValue
        request.newName = newName.rawValue
        return try await holders(.renameKey(request), operation: "keys rename")
    }

    /// Replaces the coordinator's own key. Its ports change a moment after the answer. See docs/keys.md.
    /// - Parameters:
    ///   - from: The key that this client knows. A repeat with the same key replaces nothing further.
    ///   - isCompromised: Whether somebody else may have the secret key, which then ends at once.
    public func rotateKey(from: PublicKey, isCompromised: Bool) async throws(RigClientError) -> KeyRotation {
        var request = WireRotateKey()
        request.from = Data(from.bytes)
        request.compromised = isCompromised
        return try await rotation(.rotateKey(request), operation: "keys rotate")
    }

    /// Ends the coordinator's old key before every holder has connected with the new one.
    /// - Returns: The replacement as it was.
    public func endKeyRotation() async throws(RigClientError) -> KeyRotation {
        try await rotation(.endKeyRotation(.init()), operation: "keys rotate --end")
    }

    /// Has the coordinator export its key pair and the registry of keys, encrypted.
    /// - Returns: The file.
    public func exportKey(passphrase: String) async throws(RigClientError) -> [UInt8] {
        var request = WireExportKey()
        request.passphrase = passphrase
        let answer = try await ask(.exportKey(request), operation: "keys export")
        return try reading(answer, operation: "keys export") { body throws(WireError) in
            guard case .keyExport(let export) = body else { return nil }
            return Array(export.document)
        }
    }

    private func rotation(
        _ body: WireClientRequest.OneOf_Body, operation: String
    ) async throws(RigClientError) -> KeyRotation {
        let answer = try await ask(body, operation: operation)
        return try reading(answer, operation: operation) { body throws(WireError) in
            guard case .keyRotation(let rotation) = body else { return nil }
            return try KeyRotation(wire: rotation)
        }
    }

    private func holders(
        _ body: WireClientRequest.OneOf_Body, operation: String
    ) async throws(RigClientError) -> [KeyHolder] {
        let answer = try await ask(body, operation: operation)
        return try reading(answer, operation: operation) { body throws(WireError) in
            guard case .keyHolders(let holders) = body else { return nil }
            return try FieldReader("KeyHolders").list(holders.holders, "holders", limit: WireLimits.keys).map {
                (holder) throws(WireError) in try KeyHolder(wire: holder)
            }
        }
    }
}
