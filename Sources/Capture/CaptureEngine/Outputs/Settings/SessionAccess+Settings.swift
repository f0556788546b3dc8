import CameraKit
import CameraSettings
import CaptureModel

extension SessionAccess {
    /// Resolves the settings of a transaction.
    /// - Parameter present: The controls of the open stream.
    /// - Parameter offers: The formats of the camera; those that are known where nil.
    func resolve(
        _ settings: CaptureSettings, _ present: [DeviceControl], _ offers: [FormatOffer]? = nil
    ) -> Result<PreparedSettings, RigProblem> {
        guard let format = stream?.agreedFormat else {
            return .failure(RigProblem(.notRunning, "\(device.id) is not open: \(stateDescription)"))
        }
        let hardware = knowledge.hardware
        let camera = SettableCamera(
            DeviceCapabilities(formats: offers ?? knowledge.offers ?? [], controls: present), format: format,
            peculiarities: services.peculiarities(
                make: hardware.make, model: hardware.model, in: format))
        return .success(
            PreparedSettings(
                settings, for: camera, interval: interval,
                configured: ConfiguredFormat(setup.configuration)))
    }
}
