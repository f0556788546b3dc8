import CameraKit
import CaptureModel
import RigConfiguration

extension DeviceConfiguration {
    /// What the rig is told of the device before it is opened.
    func description(on node: NodeName) -> DeviceDescription {
        DeviceDescription(
            id: DeviceID(node: node, device: name), type: type, position: position, labels: labels, purpose: purpose,
            orientation: orientation, mirrored: mirrored ? true : nil, driver: source.key)
    }

    var formatRequest: FormatRequest {
        FormatRequest(
            pixelFormat: format.pixelFormat, width: format.width, height: format.height,
            framesPerSecond: format.framesPerSecond)
    }
}

extension MicrophoneConfiguration {
    /// What the rig is told of the device before it is opened.
    func description(on node: NodeName) -> DeviceDescription {
        DeviceDescription(
            id: DeviceID(node: node, device: name), mediaType: .audio, type: .microphone, position: position,
            labels: labels, purpose: purpose, driver: source.key)
    }

    var formatRequest: AudioFormatRequest {
        AudioFormatRequest(sampleRate: sampleRate, channels: channels)
    }
}
