import CameraKit
import CaptureEngine
import CaptureModel

extension CaptureNode {
    /// Asks a device for everything that it is and offers; takes as long as its hardware takes to answer.
    func details(of session: CaptureSession) async -> DeviceDetails {
        let camera = session.camera
        var details = DeviceDetails(
            device: session.device, condition: await session.condition, authorization: await camera.authorization(),
            identity: camera.identityDescription)
        if details.authorization != .authorized { details.remedy = await camera.authorizationRemedy() }
        do throws(CameraError) {
            details.capabilities = try await camera.capabilities()
        } catch {
            details.obstacle = CaptureProblem(error)
        }
        return details
    }
}
