internal import CPosix
internal import Glibc

/// Reports devices that are added, removed or changed, as announced by the kernel and udev, without polling.
///
/// In most containers nothing is announced, so code that waits for a device must also check from time to time. The thread is named
/// `devices` and ends with this object.
public final class DeviceWatch: Sendable {
    /// The events, for one consumer; ends when this object is released. At most 64 events wait; beyond that the oldest are dropped and
    /// counted in ``lost``.
    public let events: AsyncStream<DeviceEvent>
    private let listener: Listener
    private let thread: NamedThread

    /// - Parameter subsystems: The subsystems of the devices, such as `video4linux`; empty for all.
    /// - Throws: If no socket or thread can be created.
    public init(subsystems: Set<String>) throws(PosixError) {
        let (events, continuation) = AsyncStream.makeStream(
            of: DeviceEvent.self, bufferingPolicy: .bufferingNewest(64))
        let listener = try Listener(subsystems: subsystems, events: continuation)
        self.events = events
        self.listener = listener
        thread = try NamedThread(name: "devices") { listener.run() }
    }

    deinit {
        listener.stop.signal()
        thread.join()
    }

    /// Announcements that were not delivered: dropped because of a slow consumer, or by the kernel because of a full socket.
    public var lost: UInt64 { listener.lost.withLock { $0 } }
}

/// The loop of a watch's thread.
private final class Listener: Sendable {
    let stop: EventFlag
    let lost = Locked<UInt64>(0)
    private let socket: FileDescriptorHandle
    private let subsystems: Set<String>
    private let events: AsyncStream<DeviceEvent>.Continuation

    /// The maximum message size in bytes. The kernel's messages have 2 KiB, udev's at most 8 KiB.
    private static let largestMessage = 16_384

    init(subsystems: Set<String>, events: AsyncStream<DeviceEvent>.Continuation) throws(PosixError) {
        stop = try EventFlag()
        let result = caprig_device_event_socket()
        guard result >= 0 else {
            throw PosixError(code: -result, operation: "open", subject: "a socket for the kernel's device events")
        }
        socket = FileDescriptorHandle(owning: result)
        self.subsystems = subsystems
        self.events = events
    }

    func run() {
        var buffer = [UInt8](repeating: 0, count: Self.largestMessage)
        while true {
            caprig_wait_for_either(socket.rawValue, stop.descriptor)
            if stop.clear() { break }
            guard receiveAll(&buffer) else { break }
        }
        events.finish()
    }

    /// - Returns: Whether the socket still works.
    private func receiveAll(_ buffer: inout [UInt8]) -> Bool {
        while true {
            let count = unsafe caprig_receive_device_event(socket.rawValue, &buffer, buffer.count)
            switch count {
            case 0...: receive(buffer, count)
            case -Int(EAGAIN): return true
            case -Int(ENOBUFS): missed()
            default: return false
            }
        }
    }

    private func receive(_ buffer: [UInt8], _ count: Int) {
        guard count <= buffer.count else { return missed() }
        guard let event = DeviceEvent(message: Array(buffer[..<count])),
            subsystems.isEmpty || subsystems.contains(event.subsystem)
        else { return }
        if case .dropped = events.yield(event) { lost.withLock { $0 += 1 } }
    }

    private func missed() {
        lost.withLock { $0 += 1 }
    }
}

/// A device that was added, removed or changed, as the kernel or udev announces it.
public struct DeviceEvent: Hashable, Sendable {
    /// `add`, `remove`, `change`, `bind` and so on.
    public var action: String
    /// The subsystem, such as `video4linux` or `sound`.
    public var subsystem: String
    /// The device node's name below `/dev`, such as `video0`; nil for a device without one.
    public var name: String?
    /// The device's folder below `/sys`.
    public var path: String
    /// Whether udev announced it: its rules, and the permissions that they set, are in effect.
    public var isSettled: Bool

    public init(action: String, subsystem: String, name: String?, path: String, isSettled: Bool) {
        self.action = action
        self.subsystem = subsystem
        self.name = name
        self.path = path
        self.isSettled = isSettled
    }

    /// Reads a message of the netlink family `NETLINK_KOBJECT_UEVENT`; nil for anything else.
    ///
    /// The kernel's message is `ACTION@PATH` followed by `KEY=VALUE` texts, each terminated by a zero. udev's has an additional binary
    /// header: `libudev`, a magic number, and the offset and length of the texts.
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

    /// Reads a number in this machine's byte order, which both ends use.
    private static func number(_ message: [UInt8], at place: Int) -> Int {
        var number: UInt32 = 0
        unsafe withUnsafeMutableBytes(of: &number) { bytes in
            for index in 0..<4 { unsafe bytes[index] = message[place + index] }
        }
        return Int(number)
    }
}
