import CaptureModel
import Catalogue
import RigProtocol
import RigWire
import ShotLogic
import StorageKit

extension WireShotProgress {
    init(_ progress: ShotProgress, _ shot: Shot, _ predictedSpread: Duration?, answerWithin: Duration?) {
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

extension WireShotSummary {
    init(_ entry: CatalogueEntry) {
        self.init()
        shotID = entry.id.wire
        status = entry.status.rawValue
        realtimeNs = entry.realtimeNanoseconds
        expected = UInt32(clamping: entry.expected)
        done = UInt32(clamping: entry.done)
        folder = entry.folder
        title = entry.title
    }
}

extension WireVerifiedFile {
    init(_ finding: VerifyFinding) {
        self.init()
        path = finding.path
        self.finding = finding.state.rawValue
    }
}

extension CaptureProblem {
    /// The problem behind any error of a request.
    init(describing error: any Error) {
        switch error {
        case let problem as CaptureProblem: self = problem
        case let error as WireError: self.init(.protocolViolation, error.description)
        default: self.init(.inputOutput, "\(error)")
        }
    }
}
