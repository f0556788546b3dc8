/// A device that came, went or changed, as the kernel or udev announces it.
public struct DeviceEvent: Hashable, Sendable {
    /// `add`, `remove`, `change`, `bind` and so on.
    public var action: String
    /// Such as `video4linux` or `sound`.
    public var subsystem: String
    /// The device node's name below `/dev`, such as `video0`; nil for a device without one.
    public var name: String?
    /// The device's folder below `/sys`.
    public var path: String
    /// Whether udev says so: its rules, and the permissions they give, are in force.
    public var isSettled: Bool

    public init(action: String, subsystem: String, name: String?, path: String, isSettled: Bool) {
        self.action = action
        self.subsystem = subsystem
        self.name = name
        self.path = path
        self.isSettled = isSettled
    }

    /// Reads a message of the netlink family `NETLINK_KOBJECT_UEVENT`; nil for one that is none.
    ///
    /// The kernel's is `ACTION@PATH` and then `KEY=VALUE` texts, each ended by a zero. udev's has a binary header of
    /// its own in front: `libudev`, a magic number, and where the texts begin and how long they are.
    public init?(message: [UInt8]) {
        let isSettled = message.starts(with: Self.udevPrefix)
        guard let texts = isSettled ? Self.udevTexts(message) : Self.kernelTexts(message) else { return nil }
        var values: [String: String] = [:]
        for text in texts.split(separator: 0) {
            guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let key = String(decoding: text[..<equals], as: UTF8.self)
            values[key] = String(decoding: text[(equals + 1)...], as: UTF8.self)
        }
        guard let action = values["ACTION"], let path = values["DEVPATH"], let subsystem = values["SUBSYSTEM"] else {
            return nil
        }
        let name = values["DEVNAME"].map { $0.hasPrefix("/dev/") ? String($0.dropFirst(5)) : $0 }
        self.init(action: action, subsystem: subsystem, name: name, path: path, isSettled: isSettled)
    }

    private static let udevPrefix = Array("libudev\0".utf8)
    private static let udevMagic: [UInt8] = [0xFE, 0xED, 0xCA, 0xFE]

    private static func kernelTexts(_ message: [UInt8]) -> ArraySlice<UInt8>? {
        guard let end = message.firstIndex(of: 0), message[..<end].contains(UInt8(ascii: "@")) else { return nil }
        return message[end...]
    }

    private static func udevTexts(_ message: [UInt8]) -> ArraySlice<UInt8>? {
        guard message.count >= 24, message[8..<12].elementsEqual(udevMagic) else { return nil }
        let start = number(message, at: 16)
        let length = number(message, at: 20)
        guard start <= message.count, length <= message.count - start else { return nil }
        return message[start..<start + length]
    }

    /// Of this machine's byte order, as both ends are on it.
    private static func number(_ message: [UInt8], at place: Int) -> Int {
        var number: UInt32 = 0
        unsafe withUnsafeMutableBytes(of: &number) { bytes in
            for index in 0..<4 { unsafe bytes[index] = message[place + index] }
        }
        return Int(number)
    }
}
