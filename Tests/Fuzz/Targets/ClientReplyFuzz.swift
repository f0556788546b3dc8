import CaptureModel
import RigProtocol
import RigWire
import ShotDocuments

@testable import RigClient

/// What a coordinator answers, as clients read it.
enum ClientReplyFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let reply = WireAgreement.message(WireClientReply.self, .client, bytes) else { return }
        switch reply.body {
        case .failure(let failure): try AgentMessageFuzz.check(failure.problem)
        case .deviceList(let list): for device in list.devices { try AgentMessageFuzz.check(device) }
        case .forgotten(let forgotten): _ = forgotten.devices.map { try? DeviceID(wire: $0) }
        case .status(let status):
            guard let epoch = Epoch(rawValue: reply.epoch) else { return }
            _ = try? RigStatus(wire: status, epoch: epoch)
        case .progress(let progress): _ = try? ShotProgress(wire: progress)
        case .shot(let document):
            guard let assembly = try? ManifestAssembly(wire: document), let manifest = try? assembly.manifest() else {
                return
            }
            _ = try? LocatedShot(wire: document, manifest.shot)
            try ShotManifestFuzz.check(manifest.shot)
        case .shotList(let list): _ = try? ShotList(wire: list)
        case .verification(let verification): _ = try? Verification(wire: verification)
        case .events(let log): try follow(log, Epoch(rawValue: reply.epoch))
        case .deviceReply(let reply): try check(reply)
        case .settingsReport(let report):
            try WireAgreement.check(report, { try SettingsReport(wire: $0) }, { $0.wire })
        case .savedProfile(let saved):
            try WireAgreement.check(saved, { try SavedProfile(wire: $0) }, { $0.wire })
        case .profileList(let list): _ = try? ProfileSummary.list(wire: list)
        case .profile(let profile):
            try WireAgreement.check(profile, { try SettingsProfile(wire: $0) }, { $0.wire })
            try WireAgreement.check(profile, { try HeldProfile(wire: $0) }, { $0.wire })
        case .settingsHistory(let history): _ = try? PastSettings.list(wire: history)
        case .unclaimedFiles(let files): _ = try? UnclaimedFiles(wire: files)
        case .shotAnnotation(let annotation):
            try WireAgreement.check(annotation, { try ShotAnnotation(wire: $0) }, { $0.wire })
        case .deletedShot(let deleted):
            try WireAgreement.check(deleted, { try ShotDeletion(wire: $0) }, { $0.wire })
        case .assetPart(let part): try check(part)
        case .smallPicture(let picture): try check(picture)
        case .manifestPage(let page):
            var document = WireShotDocument()
            (document.shotID, document.manifest.sha256) = (page.shotID, page.sha256)
            document.manifest.byteCount = UInt64(page.content.count)
            guard var assembly = try? ManifestAssembly(wire: document), (try? assembly.append(page)) != nil else {
                return
            }
            try FuzzFinding.unless(
                assembly.next == nil, "a page that is the whole document leaves something to ask for")
            _ = try? assembly.manifest()
        case .takeMark(let mark): _ = try? SetMark(wire: mark)
        case .hold(let state): try WireAgreement.check(state.hold, { try HoldStatus(wire: $0) }, { $0.wire })
        case .auditPart(let part): try? part.check(for: part.file, at: part.offset)
        // No client reads them.
        case .keyList, .invitation, .keyHolders, .keyRequest, .keyRotation, .keyExport, .issuedSession, .endedSession,
            .sessionList, .identity, .gatewayNoted, nil:
            break
        }
    }

    static func check(_ reply: WireDeviceReply) throws {
        guard reply.result != nil else { return }
        try WireAgreement.check(reply, { try DeviceReply(wire: $0) }, { $0.wire })
    }

    /// A client that asked for this part of the file takes it, and one that asked for the part behind it does not.
    private static func check(_ part: WireAssetPart) throws {
        guard let shot = ShotID(bytes: part.shotID), let digest = ContentDigest(bytes: part.sha256) else { return }
        let asset = StoredAsset(shot: shot, file: part.file, byteCount: part.byteCount, digest: digest)
        let count = Int64(part.data.count)
        guard part.offset >= 0, part.offset < part.byteCount, part.byteCount - part.offset >= count, count > 0 else {
            return
        }
        let taken = try? asset.bytes(in: part, at: part.offset, count: count)
        try FuzzFinding.unless(taken == Array(part.data), "a part that was asked for is not taken")
        let other = try? asset.bytes(in: part, at: part.offset - 1, count: count)
        try FuzzFinding.unless(other == nil, "a part of another place is taken")
    }

    /// A client that asked for another picture does not take this one.
    private static func check(_ picture: WireSmallPicture) throws {
        guard let shot = ShotID(bytes: picture.shotID) else { return }
        var request = WireReadPicture()
        (request.shotID, request.file, request.picture) = (picture.shotID, picture.file, picture.picture)
        _ = try? StoredPicture(wire: picture, for: request, in: shot)
        request.file += "x"
        let other = try? StoredPicture(wire: picture, for: request, in: shot)
        try FuzzFinding.unless(other == nil, "a picture of another file is taken")
    }

    /// A follower of the feed takes the page, twice.
    private static func follow(_ log: WireEventLog, _ epoch: Epoch?) throws {
        guard let epoch, let replay = try? EventReplay(wire: log, epoch: epoch) else { return }
        for event in log.events { try WireAgreement.check(event, { try FeedEvent(wire: $0) }, { $0.wire }) }
        var cursor = FeedCursor()
        _ = cursor.process(replay)
        let (again, _) = cursor.process(replay)
        let isRepeated = again.contains { if case .event = $0 { true } else { false } }
        try FuzzFinding.unless(!isRepeated, "an event that comes twice is told twice")
    }
}
