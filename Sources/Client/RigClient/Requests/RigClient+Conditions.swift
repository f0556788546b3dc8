public import CaptureModel
internal import RigProtocol

/// Changes that depend on what the requester has read.
extension RigClient {
    /// What must hold for the changes that are requested in this task; nil: they are carried out in any case.
    ///
    /// The coordinator compares and changes in one step. If the condition does not hold, it refuses the change with `preconditionFailed`, as it
    /// does any change of something that has no version. These have one: a shot (``LocatedShot/version``) for its edits and its deletion, the keys
    /// (``KeyList/version``) for whatever an administrator changes of them except the coordinator's own, and the hold
    /// (``RigStatus/holdVersion``). Queries are answered in any case.
    @TaskLocal public static var condition: ChangeCondition?
}

extension WireClientRequest.OneOf_Body {
    /// Whether the request may change something.
    var isChange: Bool {
        switch self {
        case .getStatus, .listDevices, .getShot, .getManifest, .listShots, .verifyShot, .verifyRest, .readAsset,
            .readPicture, .getEvents, .listKeys, .readAudit, .listSessions, .getIdentity, .listProfiles, .getProfile,
            .listSettings:
            false
        case .forgetDevices, .deviceRequest, .applySettings, .cancelSettings, .saveProfile, .removeProfile, .takeHold,
            .releaseHold,
            .trigger, .editShot, .deleteShot, .stopTake,
            .markTake,
            .inviteKey, .withdrawInvitation, .approveKey, .declineKey, .revokeKey, .renameKey, .rotateKey,
            .endKeyRotation, .exportKey, .issueSession, .redeemLink, .endSession, .announceGateway:
            true
        case .conditionalChange: false
        }
    }
}
