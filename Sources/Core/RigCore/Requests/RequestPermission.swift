import CaptureModel
package import RigSecurity

/// What a request asks for, as far as permissions distinguish it. docs/protocol/permissions.md lists the kinds.
package enum RequestKind: String, Hashable, Sendable, CaseIterable {
    case listDevices
    case getStatus
    case getEvents
    case describeDevice
    case canSwitchInput
    case measureDevice
    case keepDelays
    case keepStamps
    case listSpool

    case listShots
    case getShot
    case getManifest
    case verifyShot
    case verifyRest
    case readAsset
    case readPicture

    case triggerShot
    case startTake
    case stopTake
    case markTake
    case editShot
    case deleteShot

    case startSession
    case stopSession
    case resumeSession
    case switchInput
    case setControls
    case setConnection
    case alignCamera
    case applySettings
    case cancelSettings
    case saveProfile
    case removeProfile
    case listProfiles
    case getProfile
    case getHeldSettings
    case listSettings
    case discardCaptures
    case forgetDevices
    /// A device command of a later version. The node decides whether it knows it.
    case otherDeviceCommand

    case takeHold
    case releaseHold
    /// Either of these with the name of another holder.
    case overrideHold

    case listKeys
    case inviteKey
    case withdrawInvitation
    case approveKey
    case declineKey
    case revokeKey
    case renameKey
    case rotateKey
    case endKeyRotation
    case exportKey

    case issueSession
    case redeemLink
    case endSession
    case listSessions
    case getIdentity

    case readAudit
    case announceGateway

    /// The permissions of which a requester must have at least one.
    package var permissions: Set<Permission> {
        switch self {
        case .listDevices, .getStatus, .getEvents, .describeDevice, .canSwitchInput, .measureDevice, .listSpool,
            .listProfiles, .getProfile, .getHeldSettings, .listSettings:
            [.view]
        case .listShots, .getShot, .getManifest, .verifyShot, .verifyRest, .readAsset, .readPicture: [.read]
        // Whoever may only add gets the answer to this request, and reads nothing else.
        case .triggerShot: [.add, .trigger]
        case .startTake, .stopTake, .markTake, .editShot: [.trigger]
        case .startSession, .stopSession, .resumeSession, .switchInput, .setControls, .setConnection, .alignCamera,
            .applySettings, .cancelSettings, .saveProfile, .removeProfile:
            [.configure]
        case .keepDelays, .keepStamps, .discardCaptures, .forgetDevices, .otherDeviceCommand, .deleteShot: [.configure]
        // Whoever may change the rig's state may keep others from it.
        case .takeHold, .releaseHold: [.trigger, .configure]
        case .overrideHold: [.admin]
        case .listKeys, .inviteKey, .withdrawInvitation, .approveKey, .declineKey, .revokeKey, .renameKey,
            .rotateKey, .endKeyRotation, .exportKey:
            [.admin]
        case .readAudit: [.admin]
        // Besides, only a gateway may.
        case .announceGateway: [.view]
        // A session has at most the permissions of its maker, and everybody ends and sees his own.
        case .issueSession, .redeemLink, .endSession, .listSessions, .getIdentity: Set(Permission.allCases)
        }
    }
}

extension RigRequest {
    package var kind: RequestKind {
        switch self {
        case .command(let command, _, _): command.kind
        case .query(let query, _): query.kind
        }
    }

    /// Why the requester may not make this request; nil if it may.
    var missingPermission: RigProblem? {
        if kind == .announceGateway, !requester.isGateway {
            return RigProblem(
                .notPermitted,
                "\(requester.principal.name) is not a gateway (role dashboard), so it cannot announce one")
        }
        let needed = kind.permissions
        guard requester.permissions.isDisjoint(with: needed) else { return nil }
        let names = needed.map { "'\($0.rawValue)'" }.sorted().joined(separator: " or ")
        // A session may have less than its maker, whom it would be false to blame.
        let (owner, remedy) =
            requester.forwarding == nil
            ? ("\(requester.principal.name)", "an administrator of the rig can grant it")
            : ("this session of \(requester.principal.name)", "sign in with a link or token that has it")
        return RigProblem(
            .notPermitted,
            "\(owner) does not have the permission \(names), which is needed to \(kind.activity); \(remedy)")
    }
}

extension RigCommand {
    var kind: RequestKind {
        switch self {
        case .trigger(let request): request.request.settings.movie == nil ? .triggerShot : .startTake
        case .stopTake: .stopTake
        case .markTake: .markTake
        case .device(let request): request.command?.kind ?? .otherDeviceCommand
        case .applySettings: .applySettings
        case .cancelSettings: .cancelSettings
        case .profile(.save): .saveProfile
        case .profile(.remove): .removeProfile
        case .forgetDevices: .forgetDevices
        case .annotate: .editShot
        case .delete: .deleteShot
        case .hold(.take(let request)): request.overrides == nil ? .takeHold : .overrideHold
        case .hold(.release(let overrides)): overrides == nil ? .releaseHold : .overrideHold
        case .keys(let command): command.kind
        case .announceGateway: .announceGateway
        }
    }
}

extension DeviceCommand {
    fileprivate var kind: RequestKind {
        switch self {
        case .startSession: .startSession
        case .stopSession: .stopSession
        case .resumeSession: .resumeSession
        case .switchInput: .switchInput
        case .canSwitchInput: .canSwitchInput
        case .describe: .describeDevice
        case .measure: .measureDevice
        case .keepDelays: .keepDelays
        case .keepStamps: .keepStamps
        case .setControls: .setControls
        case .setConnection: .setConnection
        case .align: .alignCamera
        case .heldSettings: .getHeldSettings
        // Front ends pass on none of these; the rig makes them itself.
        case .settings: .applySettings
        case .listSpool: .listSpool
        case .discardCaptures: .discardCaptures
        }
    }
}

extension RigQuery {
    fileprivate var kind: RequestKind {
        switch self {
        case .devices: .listDevices
        case .status, .state: .getStatus
        case .shots: .listShots
        case .shot: .getShot
        case .manifest: .getManifest
        case .verification: .verifyShot
        case .unclaimedFiles: .verifyRest
        case .assetPart: .readAsset
        case .picture: .readPicture
        case .events: .getEvents
        case .keys: .listKeys
        case .sessions: .listSessions
        case .identity: .getIdentity
        case .audit: .readAudit
        case .profiles: .listProfiles
        case .profile: .getProfile
        case .heldSettings: .getHeldSettings
        case .pastSettings: .listSettings
        }
    }
}

extension KeyCommand {
    fileprivate var kind: RequestKind {
        switch self {
        case .invite: .inviteKey
        case .withdraw: .withdrawInvitation
        case .approve: .approveKey
        case .decline: .declineKey
        case .revoke: .revokeKey
        case .rename: .renameKey
        case .rotate: .rotateKey
        case .endRotation: .endKeyRotation
        case .export: .exportKey
        case .issueSession: .issueSession
        case .redeemLink: .redeemLink
        case .endSession: .endSession
        }
    }
}
