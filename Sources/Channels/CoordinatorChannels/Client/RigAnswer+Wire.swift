import CaptureModel
import Catalogue
import FoundationEssentials
import RigCore
import RigProtocol
import RigWire
import ShotDocuments
import ShotLogic
import StorageKit
import SwiftProtobuf

extension RigAnswer {
    /// The reply to a client.
    /// - Parameter now: When it is sent.
    func wire(at now: LocalTime) throws -> WireClientReply.OneOf_Body {
        switch self {
        case .progress(let progress, let shot, let spread, let due):
            .progress(WireShotProgress(progress, shot, spread, answerWithin: due.map { $0 - now }))
        case .shot(let answer): .shot(try answer.wire)
        case .mark(let mark): .takeMark(mark.wire)
        case .deviceReply(let reply): .deviceReply(reply.wire)
        case .devices(let devices): .deviceList(.with { $0.devices = devices.map(\.wire) })
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
        case .events(let page): .events(page.wire)
        case .annotation(let annotation): .shotAnnotation(annotation.wire)
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
        func count(_ phase: Capture.Phase) -> UInt32 { UInt32(progress.phases[phase] ?? 0) }
        shotID = shot.id.wire
        rigTimeNs = shot.time.nanoseconds
        if let predictedSpread { predictedSpreadNs = predictedSpread.nanoseconds }
        expected = UInt32(shot.captures.count)
        armed = count(.armed)
        captured = count(.captured)
        done = count(.done)
        missed = count(.missed)
        failed = count(.failed)
        partial = count(.partial)
        if let answerWithin { answerWithinNs = max(.zero, answerWithin).nanoseconds }
    }
}

extension ShotAnswer {
    fileprivate var wire: WireShotDocument {
        get throws {
            var wire = WireShotDocument()
            wire.shotID = shot.id.wire
            wire.status = shot.status.rawValue
            wire.manifestJson = Data(try ShotManifest(shot: shot).encoded())
            wire.folder = folder
            wire.library = library
            if let annotation { wire.annotation = annotation.wire }
            wire.notConfigured = notConfigured.prefix(WireLimits.devicesPerRequest).map(\.wire)
            return wire
        }
    }
}

extension RigStatus {
    /// Without what only the channels know.
    var wire: WireRigStatus {
        var wire = WireRigStatus()
        wire.rigClockID = rigClock.rawValue
        wire.rigNowNs = now.nanoseconds
        wire.nodes = nodes.map(\.wire)
        wire.openShots = UInt32(clamping: openShots)
        wire.takes = takes.prefix(WireLimits.openTakes).map(\.wire)
        wire.triggerTimeoutNs = triggerTimeout.nanoseconds
        wire.libraryFreeBytes = libraryFreeBytes ?? 0
        if let librarySilence { wire.librarySilentNs = librarySilence.nanoseconds }
        wire.libraryProblem = libraryProblem?.message ?? ""
        return wire
    }
}

extension CatalogueListing {
    fileprivate var wire: WireShotList {
        var wire = WireShotList()
        wire.shots = shots.map(\.wire)
        wire.damaged = damaged.map(\.description)
        wire.moreDamaged = UInt32(clamping: moreDamaged)
        wire.isFiltered = true
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

extension VerifyFinding {
    fileprivate var wire: WireVerifiedFile {
        var wire = WireVerifiedFile()
        wire.path = path
        wire.finding = state.rawValue
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
