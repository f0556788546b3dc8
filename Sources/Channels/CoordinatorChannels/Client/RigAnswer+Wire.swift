import CaptureModel
import Catalogue
import FoundationEssentials
import Journal
import RigAccess
import RigCore
import RigProtocol
import RigSecurity
import RigWire
import ShotDocuments
import ShotLogic
import StorageKit
import SwiftProtobuf
import ZeroMQ

extension RigAnswer {
    /// The reply to a client.
    /// - Parameter now: The time of sending.
    func wire(at now: LocalTime) -> WireClientReply.OneOf_Body {
        switch self {
        case .progress(let progress, let shot, let spread, let due):
            .progress(WireShotProgress(progress, shot, spread, answerWithin: due.map { $0 - now }))
        case .shot(let answer): .shot(answer.wire)
        case .manifest(let part): .manifestPage(part.wire)
        case .mark(let mark): .takeMark(mark.wire)
        case .deviceReply(let reply): .deviceReply(reply.wire)
        case .settings(let report): .settingsReport(report.wire)
        case .savedProfile(let saved): .savedProfile(saved.wire)
        case .profiles(let profiles): .profileList(.with { $0.profiles = profiles.map(\.wire) })
        case .profile(let profile): .profile(profile.wire)
        case .heldSettings(let held): .profile(held.wire)
        case .pastSettings(let past): .settingsHistory(.with { $0.transactions = past.map(\.wire) })
        case .devices(let devices): .deviceList(WireDeviceList(devices))
        case .forgotten(let devices): .forgotten(.with { $0.devices = devices.map(\.wire) })
        case .status(let status): .status(status.wire)
        case .shots(let listing): .shotList(listing.wire)
        case .verification(let shot, let findings):
            .verification(
                .with {
                    $0.shotID = shot.wire
                    $0.files = findings.map(\.wire)
                })
        case .unclaimedFiles(let findings):
            .unclaimedFiles(
                .with {
                    $0.files = findings.prefix(WireLimits.unclaimedFiles).map(\.wire)
                    $0.isCut = findings.count > WireLimits.unclaimedFiles
                })
        case .assetPart(let part, _): .assetPart(part.wire)
        case .picture(let picture, _): .smallPicture(picture.wire)
        case .events(let page): .events(page.wire)
        case .annotation(let annotation, let version): .shotAnnotation(annotation.wire(version: version))
        case .hold(let state): .hold(state.wire)
        case .keys(let listing): .keyList(listing.wire)
        case .invitation(let invitation, let code): .invitation(invitation.wire(at: invitation.issuedAt, code: code))
        case .withdrawn(let invitation): .invitation(invitation.wire(at: invitation.issuedAt))
        case .holders(let holders): .keyHolders(.with { $0.holders = holders.map(\.wire) })
        case .declined(let request): .keyRequest(request.wire)
        case .rotation(let status): .keyRotation(status.wire)
        case .exported(let document): .keyExport(.with { $0.document = Data(document) })
        case .audit(let part): .auditPart(part.wire)
        case .session(let issued): .issuedSession(issued.wire)
        case .sessionEnded(let session): .endedSession(session.wire)
        case .sessions(let grants): .sessionList(.with { $0.sessions = grants.map(\.wire) })
        case .identity(let requester): .identity(requester.identity)
        case .gatewayNoted: .gatewayNoted(.init())
        case .refused(let problem): .failure(WireFailure(problem))
        }
    }
}

extension WireFailure {
    init(_ problem: CaptureProblem) {
        self.init()
        self.problem = problem.wire
    }
}

extension WireShotProgress {
    fileprivate init(_ progress: ShotProgress, _ shot: Shot, _ predictedSpread: Duration?, answerWithin: Duration?) {
        self.init()
        func count(_ phase: Capture.Phase) -> Int { progress.phases[phase] ?? 0 }
        shotID = shot.id.wire
        rigTimeNs = shot.time.nanoseconds
        if let predictedSpread { predictedSpreadNs = predictedSpread.nanoseconds }
        captures =
            CaptureCounts(
                expected: shot.captures.count, armed: count(.armed), captured: count(.captured),
                awaitingCompanions: progress.awaitingCompanions, done: count(.done), partial: count(.partial),
                missed: count(.missed), failed: count(.failed)
            ).wire
        if let answerWithin { answerWithinNs = max(.zero, answerWithin).nanoseconds }
    }
}

extension ShotAnswer {
    fileprivate var wire: WireShotDocument {
        var wire = WireShotDocument()
        wire.shotID = shot.id.wire
        wire.status = shot.status.rawValue
        wire.revision = UInt64(clamping: shot.revision)
        wire.manifest = manifest.wire
        wire.folder = folder
        wire.library = library
        if let annotation { wire.annotation = annotation.wire }
        wire.notConfigured = notConfigured.prefix(WireLimits.devicesPerRequest).map(\.wire)
        if let version { wire.version = version.wire }
        return wire
    }
}

extension ShotAnnotation {
    /// - Parameter version: That of the shot with this annotation.
    fileprivate func wire(version: ContentDigest) -> WireShotAnnotation {
        var wire = self.wire
        wire.version = version.wire
        return wire
    }
}

extension HeldState {
    fileprivate var wire: WireHoldState {
        var wire = WireHoldState()
        if let status { wire.hold = status.wire }
        wire.version = version.wire
        return wire
    }
}

extension StoredManifest {
    /// The answer with the first page of the document.
    fileprivate var wire: WireManifest {
        var wire = WireManifest()
        wire.schemaVersion = UInt32(clamping: shot.schemaVersion)
        wire.byteCount = UInt64(bytes.count)
        wire.sha256 = digest.wire
        wire.content = Data(bytes.prefix(WireLimits.manifestPage))
        return wire
    }
}

extension ManifestPart {
    fileprivate var wire: WireManifestPage {
        var wire = WireManifestPage()
        wire.shotID = shot.wire
        wire.sha256 = digest.wire
        wire.offset = UInt64(offset)
        wire.content = Data(bytes)
        return wire
    }
}

extension RigStatus {
    /// The status without the fields that only the channels know.
    var wire: WireRigStatus {
        var wire = WireRigStatus()
        wire.rigClockID = rigClock.rawValue
        wire.rigNowNs = now.nanoseconds
        wire.nodes = nodes.map(\.wire)
        wire.openShots = UInt32(clamping: openShots)
        wire.takes = takes.prefix(WireLimits.openTakes).map(\.wire)
        wire.triggerTimeoutNs = triggerTimeout.nanoseconds
        if let hold { wire.hold = hold.wire }
        if let holdVersion { wire.holdVersion = holdVersion.wire }
        wire.libraryFreeBytes = libraryFreeBytes ?? 0
        if let librarySilence { wire.librarySilentNs = librarySilence.nanoseconds }
        if let libraryProblem { wire.libraryProblem = libraryProblem.wire }
        wire.gateways = gateways.map(\.wire)
        wire.shotCounts = shotCounts.wire
        if let devices, devices.count <= WireLimits.devicesInStatus { wire.deviceList = WireDeviceList(devices) }
        if refusedReads > 0 { wire.droppedMessages["client.refusedReads"] = refusedReads }
        if refusedPictures > 0 { wire.droppedMessages["client.refusedPictures"] = refusedPictures }
        return wire
    }
}

extension WireDeviceList {
    fileprivate init(_ devices: [DeviceStatus]) {
        self.init()
        self.devices = devices.map(\.wire)
    }
}

extension GatewayStatus {
    fileprivate var wire: WireGatewayStatus {
        .with {
            $0.name = name
            $0.address = announcement.address
            $0.certificateSha256 = Data(announcement.certificate?.bytes ?? [])
        }
    }
}

extension GatewayAnnouncement {
    fileprivate init(wire: WireAnnounceGateway) throws(WireError) {
        let reader = FieldReader("AnnounceGateway")
        self.init(
            address: try reader.webAddress(wire.address, "address"),
            certificate: wire.certificateSha256.isEmpty
                ? nil : try reader.present(ContentDigest(bytes: wire.certificateSha256), "certificate_sha256"),
            isLast: wire.ends)
    }
}

extension CatalogueListing {
    fileprivate var wire: WireShotList {
        var wire = WireShotList()
        wire.shots = shots.map(\.wire)
        wire.damaged = damaged.map(\.wire)
        wire.moreDamaged = UInt32(clamping: moreDamaged)
        return wire
    }
}

extension CatalogueEntry {
    var wire: WireShotSummary {
        var wire = WireShotSummary()
        wire.shotID = id.wire
        wire.status = status.rawValue
        wire.realtimeNs = realtimeNanoseconds
        wire.expected = UInt32(clamping: expected)
        wire.done = UInt32(clamping: done)
        wire.folder = folder
        wire.title = title
        return wire
    }
}

extension DamagedShot {
    fileprivate var wire: WireDamagedShot {
        var wire = WireDamagedShot()
        wire.shotID = id.wire
        wire.folder = folder
        wire.reason = description.sentence(limit: WireLimits.reasonByteCount)
        return wire
    }
}

extension VerifyFinding {
    fileprivate var wire: WireVerifiedFile {
        var wire = WireVerifiedFile()
        wire.path = path
        wire.finding = state.rawValue
        return wire
    }
}

extension AssetPart {
    fileprivate var wire: WireAssetPart {
        var wire = WireAssetPart()
        wire.shotID = range.shot.wire
        wire.file = range.file
        wire.offset = range.offset
        wire.data = Data(bytes)
        wire.byteCount = content.byteCount
        wire.sha256 = Data(content.digest.bytes)
        return wire
    }
}

extension PictureAnswer {
    fileprivate var wire: WireSmallPicture {
        var wire = WireSmallPicture()
        wire.shotID = request.shot.wire
        (wire.file, wire.picture) = (request.file, request.picture.rawValue)
        wire.data = Data(bytes)
        wire.byteCount = content.byteCount
        wire.sha256 = Data(content.digest.bytes)
        return wire
    }
}

extension EventPage {
    fileprivate var wire: WireEventLog {
        var wire = WireEventLog()
        wire.events = events.map(\.wire)
        wire.lastSequence = lastSequence
        wire.truncated = isTruncated
        return wire
    }
}

extension RigRequest {
    /// A client's request.
    init(wire: WireClientRequest, by requester: Requester) throws(WireError) {
        try FieldReader("ClientRequest").version(wire.protocolVersion, "protocol_version", of: "the coordinator")
        if case .conditionalChange(let conditional) = wire.body {
            let condition = try ChangeCondition(wire: conditional)
            guard let command = try RigCommand(wire: conditional.change.body) else {
                throw FieldReader("ConditionalChange").invalid("change", "is no change that this version knows")
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
                    "command", "is a step that only the coordinator requests; send ApplySettings")
            }
            self = .device(request)
        case .applySettings(let apply): self = .applySettings(try SettingsRequest(wire: apply))
        case .saveProfile(let save):
            let reader = FieldReader("SaveProfile")
            self = .profile(
                .save(
                    try reader.profileName(save.name),
                    try Selection(wire: try reader.present(save.hasSelection ? save.selection : nil, "selection"))))
        case .removeProfile(let remove):
            self = .profile(.remove(try FieldReader("RemoveProfile").profileName(remove.name)))
        case .forgetDevices(let forget):
            let devices = try FieldReader("ForgetDevices").list(
                forget.devices, "devices", limit: WireLimits.devicesPerRequest)
            self = .forgetDevices(try devices.map { (device) throws(WireError) in try DeviceID(wire: device) })
        case .editShot(let edit):
            self = .annotate(try FieldReader("EditShot").shotID(edit.shotID), try ShotAnnotationEdit(wire: edit))
        case .takeHold(let take): self = .hold(.take(try HoldRequest(wire: take)))
        case .releaseHold(let release):
            self = .hold(.release(overriding: try FieldReader("ReleaseHold").overridden(release.overrides)))
        case .inviteKey, .withdrawInvitation, .approveKey, .declineKey, .revokeKey, .renameKey, .rotateKey,
            .endKeyRotation, .exportKey, .issueSession, .redeemLink, .endSession:
            guard let command = try KeyCommand(wire: wire) else { return nil }
            self = .keys(command)
        case .announceGateway(let announcement):
            self = .announceGateway(try GatewayAnnouncement(wire: announcement))
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
                : .heldSettings(get.hasSelection ? try Selection(wire: get.selection) : Selection())
        case .listSettings: self = .pastSettings
        case .getEvents(let get):
            let position = Epoch(rawValue: get.coordinatorEpoch).map {
                EventPosition(epoch: $0, sequence: get.afterSequence)
            }
            self = .events(after: position, limit: WireLimits.eventsPerReplay)
        case .trigger, .stopTake, .markTake, .deviceRequest, .applySettings, .saveProfile, .removeProfile,
            .forgetDevices, .editShot, .takeHold, .releaseHold,
            .inviteKey, .withdrawInvitation, .approveKey, .declineKey, .revokeKey, .renameKey, .rotateKey,
            .endKeyRotation, .exportKey, .issueSession, .redeemLink, .endSession, .announceGateway, .conditionalChange,
            nil:
            throw FieldReader("ClientRequest").invalid("body", "is a request this version does not know")
        }
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
