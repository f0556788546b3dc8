import CaptureModel
import FoundationEssentials
import RigAccess
import RigCore
import RigProtocol
import RigWire
import ShotLogic
import SwiftProtobuf

extension RigAnswer {
    /// The reply to a client.
    /// - Parameter now: The time of sending.
    func wire(at now: LocalTime) -> WireClientReply.OneOf_Body {
        switch self {
        case .progress(let progress, let shot, let due):
            .progress(WireShotProgress(progress, shot, answerWithin: due.map { $0 - now }))
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
        case .deletedShot(let deletion): .deletedShot(deletion.wire)
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
    init(_ problem: RigProblem) {
        self.init()
        self.problem = problem.wire
    }
}

extension WireShotProgress {
    fileprivate init(_ progress: ShotProgressReport, _ shot: Shot, answerWithin: Duration?) {
        self.init()
        func count(_ phase: Capture.Phase) -> Int { progress.phases[phase] ?? 0 }
        shotID = shot.id.wire
        rigTimeNs = shot.time.nanoseconds
        if let spread = shot.prediction?.spreadNanoseconds { predictedSpreadNs = spread }
        captures =
            CaptureCounts(
                expected: shot.captures.count, armed: count(.armed), captured: count(.captured),
                awaitingCompanions: progress.awaitingCompanions, done: count(.done), partial: count(.partial),
                missed: count(.missed), failed: count(.failed)
            ).wire
        if let answerWithin { answerWithinNs = max(.zero, answerWithin).nanoseconds }
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

extension EventPage {
    fileprivate var wire: WireEventLog {
        var wire = WireEventLog()
        wire.events = events.map(\.wire)
        wire.lastSequence = lastSequence
        wire.truncated = isTruncated
        return wire
    }
}
