internal import CPosix
internal import Glibc

/// Hears from the kernel and from udev when devices come, go or change, without asking.
///
/// Where nothing is announced, as in most containers, it stays silent; so whoever waits for a device also looks now and
/// then. Its thread is named `devices` and ends with this object.
public final class DeviceWatch: Sendable {
    /// What happened, for one consumer; ends when this object goes. Of more than 64 that wait the oldest go, which
    /// ``lost`` counts.
    public let events: AsyncStream<DeviceEvent>
    private let listener: Listener
    private let thread: NamedThread

    /// - Parameter subsystems: Which devices, such as `video4linux`; empty for all.
    /// - Throws: Where neither a socket nor a thread is to be had.
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

    /// Announcements that were not delivered: dropped for a slow consumer, or by the kernel for a full socket.
    public var lost: UInt64 { listener.lost.withLock { $0 } }
}

/// The loop of a watch's thread.
private final class Listener: Sendable {
    let stop: EventFlag
    let lost = Locked<UInt64>(0)
    private let socket: FileDescriptorHandle
    private let subsystems: Set<String>
    private let events: AsyncStream<DeviceEvent>.Continuation

    /// The kernel's messages take 2 KiB, udev's 8 KiB at most.
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
            case 0...: take(buffer, count)
            case -Int(EAGAIN): return true
            case -Int(ENOBUFS): missed()
            default: return false
            }
        }
    }

    private func take(_ buffer: [UInt8], _ count: Int) {
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
