import PosixSupport

/// What the kernel and udev announce of devices.
enum DeviceEventFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let event = DeviceEvent(message: bytes) else { return }
        try FuzzFinding.unless(
            event.isSettled == bytes.starts(with: Array("libudev\0".utf8)), "the kernel's word is taken for udev's")
    }
}
