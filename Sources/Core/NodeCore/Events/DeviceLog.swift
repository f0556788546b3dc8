import CaptureModel
import Logging
import PosixSupport

/// Says in the log what becomes of a node's cameras and microphones: a line for each change of how one stands.
///
/// | it | level | message |
/// |---|---|---|
/// | runs, after nothing was wrong | info | a camera runs |
/// | runs again after one of those below | info | a camera has recovered |
/// | is absent, busy, denied, stalled; has failed and is tried again | warning | a camera is absent, … |
/// | is not tried again by itself | error | a camera is given up |
/// | is stopped | info | a camera is stopped |
///
/// A microphone is open only while sound is needed, so that it runs or is stopped is worth no line above `debug`.
/// What is under way (it starts, or leaves its stream for a larger still) is no change; nor is another reason of the same.
final class DeviceLog: Sendable {
    /// How a device stands, as far as the log tells.
    private enum Standing: String {
        case runs, absent, busy, denied, stalled, failed, givenUp, stopped

        /// nil for what is under way, and for what only a coordinator says.
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
    /// Bounded by the devices of the node.
    private let standings = Locked<[DeviceID: Standing]>([:])

    init(_ log: Logger) {
        self.log = log
    }

    /// Notes how a device stands, in the order in which it came to.
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

    private static func message(_ standing: Standing, hasRecovered: Bool) -> String {
        switch standing {
        case .runs: hasRecovered ? "has recovered" : "runs"
        case .absent: "is absent"
        case .busy: "is busy"
        case .denied: "is denied"
        case .stalled: "is stalled"
        case .failed: "has failed"
        case .givenUp: "is given up"
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
    /// Whether it is not tried again by itself.
    fileprivate var isGivenUp: Bool { phase == .failed || phase == .configurationFailed }
}
