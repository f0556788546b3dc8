package import CaptureModel
import StorageKit

/// A roster without a disk.
package actor MemoryRoster: DocumentStore {
    private var stored: [DeviceDescription]

    package init(_ devices: [DeviceDescription] = []) {
        stored = devices
    }

    package func read() -> [DeviceDescription]? { stored }

    package func replace(with devices: [DeviceDescription]) {
        stored = devices
    }
}
