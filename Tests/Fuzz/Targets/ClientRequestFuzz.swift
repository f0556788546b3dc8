import CaptureModel
import RigCore
import RigProtocol
import RigWire
import ShotLogic

@testable import CoordinatorChannels

/// What a client asks of the coordinator.
enum ClientRequestFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let request = WireAgreement.message(WireClientRequest.self, .client, bytes) else { return }
        switch request.body {
        case .trigger(let trigger): try read(trigger)
        case .deviceRequest(let request): try check(request)
        case .applySettings(let apply):
            try WireAgreement.check(apply, { try SettingsRequest(wire: $0) }, { $0.wire })
        case .getProfile(let get):
            try WireAgreement.check(get.profile, { try ProfileReference(wire: $0) }, { $0.wire })
        case .saveProfile, .removeProfile, .cancelSettings:
            _ = try? RigRequest(wire: request, by: Requester(.unnamed, [], RequesterToken(frontEnd: "fuzz", bytes: [])))
        case .forgetDevices(let forget): _ = forget.devices.map { try? DeviceID(wire: $0) }
        case .getShot(let get): _ = try? FieldReader("GetShot").shotID(get.shotID)
        case .getManifest(let get):
            _ = try? FieldReader("GetManifest").shotID(get.shotID)
            _ = try? ContentDigest(wire: get.sha256)
        case .verifyShot(let verify): _ = try? FieldReader("VerifyShot").shotID(verify.shotID)
        case .readAsset(let read): _ = try? FieldReader("ReadAsset").shotID(read.shotID)
        case .readPicture(let read):
            _ = try? RigRequest(wire: request, by: Requester(.unnamed, [], RequesterToken(frontEnd: "fuzz", bytes: [])))
            _ = SmallPicture(rawValue: read.picture)
        case .listShots(let list):
            _ = try? FieldReader("ListShots").shotID(list.beforeShotID)
            _ = try? ShotQuery(wire: list)
        case .editShot(let edit):
            _ = try? FieldReader("EditShot").shotID(edit.shotID)
            _ = (try? ShotAnnotationEdit(wire: edit))?.applied(to: ShotAnnotation()).problem
        case .deleteShot(let delete):
            _ = try WireAgreement.check(delete, { try ShotDeletionRequest(wire: $0) }, { $0.wire })
        case .stopTake(let stop):
            _ = try WireAgreement.check(stop, { try StopTakeRequest(wire: $0) }, { $0.wire })
        case .markTake(let mark):
            _ = try WireAgreement.check(mark, { try MarkTakeRequest(wire: $0) }, { $0.wire })
        case .takeHold(let take):
            _ = try WireAgreement.check(take, { try HoldRequest(wire: $0) }, { $0.wire })
        case .releaseHold(let release): _ = try? FieldReader("ReleaseHold").overridden(release.overrides)
        case .getEvents(let get): _ = Epoch(rawValue: get.coordinatorEpoch)
        case .inviteKey, .withdrawInvitation, .approveKey, .declineKey, .revokeKey, .renameKey, .rotateKey,
            .endKeyRotation, .exportKey, .issueSession, .redeemLink, .endSession, .listSessions, .getIdentity:
            _ = try? KeyCommand(wire: request.body)
        case .announceGateway(let gateway):
            _ = try? FieldReader("AnnounceGateway").webAddress(gateway.address, "address")
        case .readAudit(let read): _ = try? AuditRange(wire: read)
        case .conditionalChange(let conditional): try check(conditional)
        case .listDevices, .getStatus, .verifyRest, .listKeys, .listProfiles, .listSettings, nil: break
        }
    }

    /// A condition is read only together with a change, and never left out.
    private static func check(_ conditional: WireConditionalChange) throws {
        var request = WireClientRequest()
        request.protocolVersion = ProtocolVersion.current
        request.body = .conditionalChange(conditional)
        let requester = Requester(.unnamed, [], RequesterToken(frontEnd: "fuzz", bytes: []))
        guard let read = try? RigRequest(wire: request, by: requester) else { return }
        guard case .command(_, _, let condition?) = read else {
            throw FuzzFinding(description: "a conditional change is read as a request without a condition")
        }
        try FuzzFinding.unless(
            condition.versions.map(\.wire) == conditional.versions, "a condition is read as another")
    }

    static func check(_ request: WireDeviceRequest) throws {
        guard let read = try? DeviceRequest(wire: request) else { return }
        try FuzzFinding.unless(try DeviceRequest(wire: read.wire) == read, "a request is passed on as another")
    }

    /// Plans the shot on a rig of two cameras.
    private static func read(_ trigger: WireTrigger) throws {
        guard let request = try WireAgreement.check(trigger, { try TriggerRequest(wire: $0) }, { $0.wire }) else {
            return
        }
        let candidates = try ["north/cam1", "south/cam1"].map {
            SelectionCandidate(device: DeviceDescription(id: try DeviceID($0), driver: "virtual"), isUsable: true)
        }
        if let taken = try? request.request.selection.evaluate(candidates) {
            try FuzzFinding.unless((1...2).contains(taken.count), "a selection takes cameras that are not there")
        }
        let limits = TriggerLimits(ringDepth: .seconds(3), maximumAhead: .seconds(30))
        let now = WallClockPair(
            monotonic: RigTime(nanoseconds: 5_000_000_000), realtimeNanoseconds: 1_795_256_143_000_000_000)
        guard let plan = try? TriggerPlanner(limits: limits).plan(request.request.time, received: now, cameras: [])
        else { return }
        try FuzzFinding.unless(
            (.zero - limits.ringDepth...limits.maximumAhead).contains(plan.time - now.monotonic),
            "a shot is taken on for \(plan.time), outside the limits")
    }
}
