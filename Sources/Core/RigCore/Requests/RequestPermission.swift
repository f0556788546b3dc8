import CaptureModel
package import RigSecurity

/// What a request asks for, as far as permissions distinguish it. docs/protocol/permissions.md lists the kinds.
package enum RequestKind: String, Hashable, Sendable, CaseIterable {
    case listDevices
    case getStatus
    case getEvents
    case describeDevice
    case listSpool

    case listShots
    case getShot
    case getManifest
    case verifyShot
    case verifyRest
    case readAsset

    case triggerShot
    case startTake
    case stopTake
    case markTake
    case editShot

    case startSession
    case stopSession
    case resumeSession
    case switchInput
    case setControls
    case setConnection
    case discardCaptures
    case forgetDevices
    /// A device command of a later version. The node decides whether it knows it.
    case otherDeviceCommand

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

    case readAudit

    /// The permissions of which a requester must have at least one.
    package var permissions: Set<Permission> {
        switch self {
        case .listDevices, .getStatus, .getEvents, .describeDevice, .listSpool: [.view]
        case .listShots, .getShot, .getManifest, .verifyShot, .verifyRest, .readAsset: [.read]
        // Whoever may only add gets the answer to this request, and reads nothing else.
        case .triggerShot: [.add, .trigger]
        case .startTake, .stopTake, .markTake, .editShot: [.trigger]
        case .startSession, .stopSession, .resumeSession, .switchInput, .setControls, .setConnection: [.configure]
        case .discardCaptures, .forgetDevices, .otherDeviceCommand: [.configure]
        case .listKeys, .inviteKey, .withdrawInvitation, .approveKey, .declineKey, .revokeKey, .renameKey,
            .rotateKey, .endKeyRotation, .exportKey:
            [.admin]
        case .readAudit: [.admin]
        }
    }
}

extension RigRequest {
    package var kind: RequestKind {
        switch self {
        case .command(let command, _): command.kind
        case .query(let query, _): query.kind
        }
    }

    /// Why the requester may not make this request; nil if it may.
    var missingPermission: CaptureProblem? {
        let needed = kind.permissions
        guard requester.permissions.isDisjoint(with: needed) else { return nil }
        let names = needed.map { "'\($0.rawValue)'" }.sorted().joined(separator: " or ")
        return CaptureProblem(
            .notPermitted,
            "\(requester.principal.name) does not have the permission \(names), which \(kind.rawValue) needs; an administrator of the rig can grant it"
        )
    }
}

extension RigCommand {
    var kind: RequestKind {
        switch self {
        case .trigger(let request): request.request.settings.movie == nil ? .triggerShot : .startTake
        case .stopTake: .stopTake
        case .markTake: .markTake
        case .device(let request): request.command?.kind ?? .otherDeviceCommand
        case .forgetDevices: .forgetDevices
        case .annotate: .editShot
        case .keys(let command): command.kind
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
        case .describe: .describeDevice
        case .setControls: .setControls
        case .setConnection: .setConnection
        case .listSpool: .listSpool
        case .discardCaptures: .discardCaptures
        }
    }
}

extension RigQuery {
    fileprivate var kind: RequestKind {
        switch self {
        case .devices: .listDevices
        case .status: .getStatus
        case .shots: .listShots
        case .shot: .getShot
        case .manifest: .getManifest
        case .verification: .verifyShot
        case .unclaimedFiles: .verifyRest
        case .assetPart: .readAsset
        case .events: .getEvents
        case .keys: .listKeys
        case .audit: .readAudit
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
        }
    }
}
