import CameraKit
import CaptureEngine
import CaptureModel
import Sound

/// What clients ask of a microphone. It has no session to start or stop: it is open while something needs sound.
extension CaptureNode {
    func result(
        of command: DeviceCommand?, _ microphone: SoundSession
    ) async throws(CaptureProblem) -> DeviceReply {
        guard case .describe = command else {
            throw CaptureProblem(
                .conflict,
                "\(microphone.device.id) is a microphone: what needs sound opens and closes it, and nothing can be set"
            )
        }
        var details = DeviceDetails(
            device: microphone.device, condition: await microphone.condition,
            authorization: await microphone.microphone.authorization(),
            identity: microphone.microphone.identityDescription, capabilities: DeviceCapabilities())
        if details.authorization != .authorized {
            details.remedy = await microphone.microphone.authorizationRemedy()
        }
        return .details(details)
    }
}
