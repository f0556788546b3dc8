internal import CameraSettings
internal import CaptureModel

/// What a calibration tells while it is under way.
enum CalibrationEvent: Hashable, Sendable {
    /// How many steps of a control were seen so far.
    case steps(DeviceID, String, seen: Int)
    case ended(DeviceID)
}

/// The progress line of a calibration: how many cameras have ended, and what each of the others does.
struct CalibrationProgress {
    /// Cameras that the line names at the most.
    private static let namedLimit = 2

    private let count: Int
    private var ended = 0
    private var steps: [DeviceID: (control: String, seen: Int)] = [:]

    /// - Parameter count: The number of cameras.
    init(count: Int) { self.count = count }

    /// Notes an event.
    /// - Returns: The line.
    mutating func note(_ event: CalibrationEvent) -> String {
        switch event {
        case .steps(let device, let control, let seen): steps[device] = (control, seen)
        case .ended(let device):
            steps[device] = nil
            ended += 1
        }
        let named = steps.sorted { $0.key < $1.key }.prefix(Self.namedLimit).map { device, step in
            "\(device) \(step.control), step \(step.seen) of \(DelaySamples.needed)"
        }
        let more = steps.count > named.count ? ["\(steps.count - named.count) more"] : []
        return (["\(ended) of \(count) cameras measured"] + named + more).joined(separator: "; ")
    }
}
