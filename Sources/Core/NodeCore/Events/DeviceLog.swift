import CaptureEngine
import CaptureModel
import Logging
import PosixSupport

/// Logs the condition of a node's cameras and microphones, and their settings transactions, one line per change.
///
/// | device | level | message |
/// |---|---|---|
/// | runs, without an earlier problem | info | a camera runs |
/// | runs again after one of the problems below | info | a camera has recovered |
/// | is absent, busy, denied or stalled; or has failed and is retried | warning | a camera is absent, … |
/// | is not retried automatically | error | a camera is given up |
/// | is stopped | info | a camera is stopped |
/// | was set by a settings transaction; put back | info | settings of a camera have changed; are undone |
/// | setting it or putting it back has failed | warning | settings of a camera have failed |
///
/// A microphone is open only while sound is needed, so running and stopped are logged at `debug`. A transition (the
/// device starts, or leaves its stream for a larger still) is not a change. Another reason for the same condition is
/// not a change either.
final class DeviceLog: Sendable {
    /// The condition of a device, as far as the log distinguishes it.
    private enum Standing: String {
        case runs, absent, busy, denied, stalled, failed, givenUp, stopped

        /// nil for transitions, and for conditions that only a coordinator reports.
        init?(_ condition: DeviceCondition) {
            switch condition.state {
            case .running: self = .runs
            case .absent: self = .absent
            case .busy: self = .busy
            case .denied: self = .denied
            case .stalled: self = .stalled
            case .failed where condition.session?.isGivenUp == true: self = .givenUp
            case .failed: self = .failed
            case .stopped: self = .stopped
            case .starting, .unreachable, .notConfigured: return nil
            }
        }

        var isTrouble: Bool { self != .runs && self != .stopped }
    }

    private let log: Logger
    /// Bounded by the number of the node's devices.
    private let standings = Locked<[DeviceID: Standing]>([:])

    init(_ log: Logger) {
        self.log = log
    }

    /// Notes the condition of a device. Calls arrive in the order of the changes.
    func note(_ device: DeviceID, _ mediaType: MediaType, _ condition: DeviceCondition) {
        guard let standing = Standing(condition) else { return }
        let before = standings.withLock { $0.updateValue(standing, forKey: device) }
        guard before != standing else { return }
        let noun = mediaType == .audio ? "microphone" : "camera"
        var metadata: Logger.Metadata = ["\(noun).id": "\(device)"]
        if let reason = condition.reason { metadata["reason"] = "\(reason)" }
        if let before { metadata["\(noun).before"] = "\(before.rawValue)" }
        let hasRecovered = before?.isTrouble == true
        let isRoutine = mediaType == .audio && !standing.isTrouble && !hasRecovered
        let message = Self.message(standing, hasRecovered: hasRecovered)
        log.log(level: isRoutine ? .debug : Self.level(standing), "a \(noun) \(message)", metadata: metadata)
    }

    /// Notes what a settings transaction has done to a camera.
    func note(_ device: DeviceID, _ notice: SettingsNotice) {
        var metadata: Logger.Metadata = ["camera.id": "\(device)"]
        if let id = notice.id { metadata["settings.id"] = "\(id)" }
        if !notice.differences.isEmpty {
            metadata["controls"] = "\(notice.differences.map(\.text).joined(separator: ", "))"
        }
        if let problem = notice.problem {
            metadata["reason"] = "\(problem.message)"
            log.warning("settings of a camera have failed", metadata: metadata)
            return
        }
        switch notice {
        case .changed: log.info("settings of a camera have changed", metadata: metadata)
        case .undone: log.info("settings of a camera are undone", metadata: metadata)
        case .restored: log.info("a camera gets its settings again", metadata: metadata)
        case .drifted: log.warning("a camera had other settings than it was given", metadata: metadata)
        case .refocused(let refocus):
            metadata["focus.outcome"] = "\(refocus.outcome.rawValue)"
            log.info("a camera was told to focus, because its scene has changed", metadata: metadata)
        case .notRestored, .notKept: break
        }
    }

    private static func message(_ standing: Standing, hasRecovered: Bool) -> String {
        switch standing {
        case .runs: hasRecovered ? "has recovered" : "runs"
        case .absent: "is absent"
        case .busy: "is busy"
        case .denied: "is denied"
        case .stalled: "is stalled"
        case .failed: "has failed"
        case .givenUp: "has failed, and is not tried again by itself"
        case .stopped: "is stopped"
        }
    }

    private static func level(_ standing: Standing) -> Logger.Level {
        switch standing {
        case .runs, .stopped: .info
        case .absent, .busy, .denied, .stalled, .failed: .warning
        case .givenUp: .error
        }
    }
}

extension SessionCondition {
    /// Whether the session is not retried automatically.
    fileprivate var isGivenUp: Bool { phase == .failed || phase == .configurationFailed }
}
