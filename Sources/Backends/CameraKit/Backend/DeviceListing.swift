public import CaptureModel

/// A device that a backend has found on this machine. Its members are the output for programs.
public protocol DeviceListing: Encodable, Sendable {
    var mediaType: MediaType { get }

    /// The output for people: the device, the lines of a configuration for it, and whether it may be opened.
    var paragraph: [String] { get }

    /// The device's name for people.
    var title: String { get }

    /// The best line of a configuration that names only this device, also after a reboot; nil if there is none.
    var stableLine: String? { get }
}
