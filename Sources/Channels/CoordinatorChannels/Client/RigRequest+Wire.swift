import CaptureModel
import Catalogue
import Journal
import RigCore
import RigProtocol
import RigWire

extension RigRequest {
    /// A client's request.
    init(wire: WireClientRequest, by requester: Requester) throws(WireError) {
        try FieldReader("ClientRequest").version(wire.protocolVersion, "protocol_version", of: "the coordinator")
        if case .conditionalChange(let conditional) = wire.body {
            let condition = try ChangeCondition(wire: conditional)
            guard let command = try RigCommand(wire: conditional.change.body) else {
                throw FieldReader("ConditionalChange").invalid("change", "is not a change that this version knows")
            }
            self = .command(command, by: requester, if: condition)
        } else if let command = try RigCommand(wire: wire.body) {
            self = .command(command, by: requester)
        } else {
            self = .query(try RigQuery(wire: wire.body), by: requester)
        }
    }
}

extension RigCommand {
    /// - Returns: nil for a query, or for a kind that this version does not know.
    fileprivate init?(wire: WireClientRequest.OneOf_Body?) throws(WireError) {
        switch wire {
        case .trigger(let trigger): self = .trigger(try TriggerRequest(wire: trigger))
        case .stopTake(let stop): self = .stopTake(try StopTakeRequest(wire: stop))
        case .markTake(let mark): self = .markTake(try MarkTakeRequest(wire: mark))
        case .deviceRequest(let wire):
            let request = try DeviceRequest(wire: wire)
            if case .settings = request.command {
                throw FieldReader("DeviceRequest").invalid(
                    "command",
                    "is a step that only the coordinator requests; ask for the settings of cameras, as `capctl settings set` does"
                )
            }
            self = .device(request)
        case .applySettings(let apply): self = .applySettings(try SettingsRequest(wire: apply))
        case .cancelSettings(let cancel):
            self = .cancelSettings(try FieldReader("CancelSettings").settingsID(cancel.settingsID))
        case .saveProfile(let save):
            let reader = FieldReader("SaveProfile")
            self = .profile(.save(try reader.profileName(save.name), try Selection(wire: save.selection)))
        case .removeProfile(let remove):
            self = .profile(.remove(try FieldReader("RemoveProfile").profileName(remove.name)))
        case .forgetDevices(let forget):
            let devices = try FieldReader("ForgetDevices").list(
                forget.devices, "devices", limit: WireLimits.devicesPerRequest)
            self = .forgetDevices(try devices.map { (device) throws(WireError) in try DeviceID(wire: device) })
        case .editShot(let edit):
            self = .annotate(try FieldReader("EditShot").shotID(edit.shotID), try ShotAnnotationEdit(wire: edit))
        case .deleteShot(let delete): self = .delete(try ShotDeletionRequest(wire: delete))
        case .takeHold(let take): self = .hold(.take(try HoldRequest(wire: take)))
        case .releaseHold(let release):
            self = .hold(.release(overriding: try FieldReader("ReleaseHold").overridden(release.overrides)))
        case .inviteKey, .withdrawInvitation, .approveKey, .declineKey, .revokeKey, .renameKey, .rotateKey,
            .endKeyRotation, .exportKey, .issueSession, .redeemLink, .endSession:
            guard let command = try KeyCommand(wire: wire) else { return nil }
            self = .keys(command)
        case .announceGateway(let announcement):
            self = .announceGateway(try GatewayAddress(wire: announcement))
        case .listDevices, .getStatus, .listShots, .getShot, .getManifest, .verifyShot, .verifyRest, .getEvents,
            .readAsset, .readPicture, .listKeys, .readAudit, .listSessions, .getIdentity, .listProfiles, .getProfile,
            .listSettings, .conditionalChange, nil:
            return nil
        }
    }
}

extension RigQuery {
    fileprivate init(wire: WireClientRequest.OneOf_Body?) throws(WireError) {
        switch wire {
        case .listDevices: self = .devices
        case .getStatus(let get): self = get.withDevices ? .state : .status
        case .listShots(let list): self = .shots(try ShotPage(wire: list))
        case .getShot(let get): self = .shot(try FieldReader("GetShot").shotID(get.shotID))
        case .getManifest(let get):
            let reader = FieldReader("GetManifest")
            self = .manifest(
                of: try reader.shotID(get.shotID), digest: try ContentDigest(wire: get.sha256),
                from: Int(try reader.count(get.offset, "offset")), limit: WireLimits.manifestPage)
        case .verifyShot(let verify): self = .verification(of: try FieldReader("VerifyShot").shotID(verify.shotID))
        case .verifyRest: self = .unclaimedFiles
        case .readAsset(let read): self = .assetPart(try AssetRange(wire: read))
        case .readPicture(let read): self = .picture(try PictureRequest(wire: read))
        case .listKeys: self = .keys
        case .readAudit(let read): self = .audit(try AuditRange(wire: read))
        case .listSessions: self = .sessions
        case .getIdentity: self = .identity
        case .listProfiles: self = .profiles
        case .getProfile(let get):
            self =
                get.hasProfile
                ? .profile(try ProfileReference(wire: get.profile))
                : .heldSettings(get.selection.isEmpty ? Selection() : try Selection(wire: get.selection))
        case .listSettings: self = .pastSettings
        case .getEvents(let get):
            let position = Epoch(rawValue: get.coordinatorEpoch).map {
                EventPosition(epoch: $0, sequence: get.afterSequence)
            }
            self = .events(after: position, limit: WireLimits.eventsPerReplay)
        case .trigger, .stopTake, .markTake, .deviceRequest, .applySettings, .cancelSettings, .saveProfile,
            .removeProfile,
            .forgetDevices, .editShot, .deleteShot, .takeHold, .releaseHold,
            .inviteKey, .withdrawInvitation, .approveKey, .declineKey, .revokeKey, .renameKey, .rotateKey,
            .endKeyRotation, .exportKey, .issueSession, .redeemLink, .endSession, .announceGateway, .conditionalChange,
            nil:
            throw FieldReader("ClientRequest").invalid("body", "is a request this version does not know")
        }
    }
}

extension GatewayAddress {
    fileprivate init(wire: WireAnnounceGateway) throws(WireError) {
        let reader = FieldReader("AnnounceGateway")
        self.init(
            address: try reader.webAddress(wire.address, "address"),
            certificate: wire.certificateSha256.isEmpty
                ? nil : try reader.present(ContentDigest(bytes: wire.certificateSha256), "certificate_sha256"),
            isLast: wire.ends)
    }
}

extension AssetRange {
    fileprivate init(wire: WireReadAsset) throws(WireError) {
        let reader = FieldReader("ReadAsset")
        self.init(
            shot: try reader.shotID(wire.shotID), file: try reader.fileName(wire.file),
            offset: try reader.number(wire.offset, "offset", in: 0...WireLimits.fileByteCount),
            count: Int(try reader.number(wire.count, "count", in: WireLimits.assetPart)))
    }
}

extension PictureRequest {
    fileprivate init(wire: WireReadPicture) throws(WireError) {
        let reader = FieldReader("ReadPicture")
        guard let picture = SmallPicture(rawValue: wire.picture) else {
            throw reader.invalid("picture", "must be 'thumbnail' or 'preview'")
        }
        self.init(shot: try reader.shotID(wire.shotID), file: try reader.fileName(wire.file), picture: picture)
    }
}

extension FieldReader {
    /// The name of a stored file.
    fileprivate func fileName(_ text: String) throws(WireError) -> String {
        guard (1...WireLimits.assetNameByteCount).contains(text.utf8.count) else {
            throw invalid("file", "must have 1 to \(WireLimits.assetNameByteCount) bytes")
        }
        return text
    }
}

extension ShotPage {
    fileprivate init(wire: WireListShots) throws(WireError) {
        let before = wire.beforeShotID.isEmpty ? nil : try FieldReader("ListShots").shotID(wire.beforeShotID)
        let limit = wire.limit == 0 ? 50 : min(Int(wire.limit), WireLimits.shotsPerList)
        self.init(try ShotQuery(wire: wire), limit: limit, before: before)
    }
}
