public import CaptureModel
public import RigConfiguration

/// A source in a configuration that is a camera.
public protocol CameraSource: SourceConfiguration {
    /// Returns the camera that it names, closed.
    /// - Parameters:
    ///   - name: The device's name, for threads and messages.
    ///   - stamps: The measured corrections of the camera's stamps.
    func makeCamera(name: DeviceName, stamps: StampCorrection) -> any Camera
}

extension DeviceConfiguration {
    /// Returns the camera that the configuration names, closed.
    /// - Throws: ``CameraError`` with code `failed` for a source that is not a camera.
    public func makeCamera() throws(CameraError) -> any Camera {
        guard let camera = source.configuration as? any CameraSource else { throw source.isNo("camera", name) }
        return camera.makeCamera(name: name, stamps: stamps)
    }
}
