public import CaptureModel
public import RigConfiguration

/// A source in a configuration that is a microphone.
public protocol MicrophoneSource: SourceConfiguration {
    /// Returns the microphone that it names, closed.
    /// - Parameters:
    ///   - name: The device's name, for threads and messages.
    ///   - latencyOffset: Added to every stamp.
    func makeMicrophone(name: DeviceName, latencyOffset: Duration) -> any Microphone
}

extension MicrophoneConfiguration {
    /// Returns the microphone that the configuration names, closed.
    /// - Throws: ``CameraError`` with code `failed` for a source that is not a microphone.
    public func makeMicrophone() throws(CameraError) -> any Microphone {
        guard let microphone = source.configuration as? any MicrophoneSource else {
            throw source.isNo("microphone", name)
        }
        return microphone.makeMicrophone(name: name, latencyOffset: latencyOffset)
    }
}
