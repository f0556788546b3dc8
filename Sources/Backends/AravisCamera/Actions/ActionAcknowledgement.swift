import CameraKit

/// A camera's answer to an action command (`ACTION_ACK`): status, 0x0101, the bytes that follow the header, and the id of the request.
struct ActionAcknowledgement: Hashable, Sendable {
    var status: ActionStatus
    var request: UInt16

    /// - Returns: nil if the bytes are something else.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 8 else { return nil }
        let words = stride(from: 0, to: 8, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        guard words[1] == 0x0101, Int(words[2]) == bytes.count - 8 else { return nil }
        status = ActionStatus(code: words[0])
        request = words[3]
    }
}

/// The status of an acknowledgement, by GigE Vision's numbers.
enum ActionStatus: Hashable, Sendable {
    case success
    /// `GEV_STATUS_NO_REF_TIME`: its clock follows no other one.
    case noReferenceTime
    /// `GEV_STATUS_OVERFLOW`: too many actions wait.
    case overflow
    /// `GEV_STATUS_ACTION_LATE`: the time had passed, so that it has acted at once.
    case late
    case other(UInt16)

    init(code: UInt16) {
        self =
            switch code {
            case 0: .success
            case 0x8013: .noReferenceTime
            case 0x8015: .overflow
            case 0x8016: .late
            default: .other(code)
            }
    }

    /// Why there is no exposure at the instant that was asked for; nil if there will be one.
    var refusal: ExposureRefusal? {
        switch self {
        case .success: nil
        case .noReferenceTime:
            ExposureRefusal(
                .clock,
                "the camera says that its clock follows no other one (GEV_STATUS_NO_REF_TIME); let it follow the PTP clock of this node"
            )
        case .overflow:
            ExposureRefusal(
                .conflict,
                "too many exposures wait in the camera already (GEV_STATUS_OVERFLOW); trigger again when some are over")
        case .late:
            ExposureRefusal(
                .tooSoon,
                "the command came to the camera after the instant (GEV_STATUS_ACTION_LATE); trigger with a longer --lead"
            )
        case .other(let code):
            ExposureRefusal(
                .camera,
                "the camera refuses to expose at an instant, with status 0x\(String(code, radix: 16)); does it support scheduled action commands?"
            )
        }
    }
}
