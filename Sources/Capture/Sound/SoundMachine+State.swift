import CameraKit
import CaptureModel

extension SoundMachine {
    /// What the microphone is doing, in the words for every device.
    var state: DeviceCondition.State {
        if isDelivering { return .running }
        guard isWanted else { return .stopped }
        switch trouble?.kind {
        case nil: return .starting
        case .interruption(.deviceAbsent): return .absent
        case .interruption(.inUseByAnotherClient): return .busy
        case .refused: return .denied
        case .stall: return .stalled
        case .interruption, .configuration, .runtime: return .failed
        }
    }

    /// A sentence that says why it does not run and what to do; nil while it runs or starts.
    var reason: String? {
        if isDelivering { return nil }
        return isWanted ? trouble?.description : "nothing needs sound, so the microphone is not open"
    }
}
