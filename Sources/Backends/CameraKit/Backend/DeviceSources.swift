public import CaptureModel
public import RigConfiguration

/// A configuration's source that is a camera.
public protocol CameraSource: SourceConfiguration {
    /// The camera that it names, closed.
    /// - Parameters:
    ///   - name: The device's, for threads and messages.
    ///   - stamps: What was measured of the camera's stamps.
    func makeCamera(name: DeviceName, stamps: StampCorrection) -> any Camera
}

/// A configuration's source that is a microphone.
public protocol MicrophoneSource: SourceConfiguration {
    /// The microphone that it names, closed.
    /// - Parameters:
    ///   - name: The device's, for threads and messages.
    ///   - latencyOffset: To be added to every stamp.
    func makeMicrophone(name: DeviceName, latencyOffset: Duration) -> any Microphone
}

extension DeviceConfiguration {
    /// The camera that the configuration names, closed.
    /// - Throws: ``CameraError`` of code `failed` for a source that is no camera.
    public func makeCamera() throws(CameraError) -> any Camera {
        guard let camera = source.configuration as? any CameraSource else { throw source.isNo("camera", name) }
        return camera.makeCamera(name: name, stamps: stamps)
    }
}

extension MicrophoneConfiguration {
    /// The microphone that the configuration names, closed.
    /// - Throws: ``CameraError`` of code `failed` for a source that is no microphone.
    public func makeMicrophone() throws(CameraError) -> any Microphone {
        guard let microphone = source.configuration as? any MicrophoneSource else {
            throw source.isNo("microphone", name)
        }
        return microphone.makeMicrophone(name: name, latencyOffset: latencyOffset)
    }
}

extension DeviceSource {
    fileprivate func isNo(_ kind: String, _ name: DeviceName) -> CameraError {
        CameraError(
            .failed, device: name.rawValue, operation: "open",
            reason: "its source '\(key)' is no \(kind); correct `source` in the configuration")
    }
}
