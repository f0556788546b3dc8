import CALSA
import Glibc

/// An open capture device of libasound's PCM interface, closed with the last reference.
///
/// Only one thread at a time may use it, usually a separate one, since ``wait(orReadable:)`` blocks. Samples are signed, 16 bits,
/// interleaved, in this machine's byte order.
@safe public final class PCMCapture {
    /// The name with which it was opened.
    public let device: String
    public let parameters: PCMParameters
    /// The number of overruns and sleeps of the machine so far. After each of them the device was started again.
    public private(set) var interruptions: UInt64 = 0
    // Valid from init to deinit; not shared.
    private let handle: OpaquePointer
    private var timeline: PCMTimeline
    private var samples: [Int16]
    /// The accepted numbers of channels. A plugin may report any number, and memory is allocated for each channel.
    private static let channelCounts = 1...64
    /// The most frames read at once.
    private static let largestRead = 65_536
    /// The error from which the device has not recovered yet.
    private var pendingRecovery: Int32?

    /// Opens a device and negotiates parameters with it. Does not wait for other users of the device.
    /// - Parameter device: libasound's name, such as `hw:CARD=Webcam,DEV=0`, `plughw:1`, `default`.
    /// - Throws: ``ALSAError``: `EBUSY`, `EACCES`, `ENODEV`, `ENOENT`, or `EINVAL` if a requested value is not possible.
    public init(device: String, wish: PCMRequest = PCMRequest()) throws(ALSAError) {
        if let channels = wish.channels, !Self.channelCounts.contains(channels) {
            throw ALSAError(
                errorNumber: EINVAL, operation: "snd_pcm_hw_params_set_channels", device: device,
                detail: "\(channels) channels are not within \(Self.channelCounts)")
        }
        var handle: OpaquePointer?
        try ALSAError.check(unsafe calsa_open(device, &handle), "snd_pcm_open", device)
        guard let handle = unsafe handle else {
            throw ALSAError(errorNumber: ENOMEM, operation: "snd_pcm_open", device: device)
        }
        do throws(ALSAError) {
            parameters = try unsafe Self.configure(handle, device, wish)
        } catch {
            unsafe calsa_close(handle)
            throw error
        }
        unsafe self.handle = unsafe handle
        self.device = device
        timeline = PCMTimeline(rate: parameters.rate)
        samples = [Int16](
            repeating: 0, count: min(max(parameters.bufferFrames, 1), Self.largestRead) * parameters.channels)
    }

    deinit {
        unsafe calsa_close(handle)
    }

    private static func configure(
        _ handle: OpaquePointer, _ device: String, _ wish: PCMRequest
    ) throws(ALSAError) -> PCMParameters {
        var request = calsa_wish(wish)
        var agreed = calsa_parameters()
        var operation: UnsafePointer<CChar>?
        let errorNumber = unsafe calsa_configure(handle, &request, &agreed, &operation)
        let name = unsafe operation.map { unsafe String(cString: $0) } ?? "snd_pcm_hw_params"
        if errorNumber == EINVAL, let detail = unmet(wish, agreed, name) {
            throw ALSAError(errorNumber: errorNumber, operation: name, device: device, detail: detail)
        }
        try ALSAError.check(errorNumber, name, device)
        return PCMParameters(agreed)
    }

    /// Returns which requested value is not possible.
    private static func unmet(_ wish: PCMRequest, _ nearest: calsa_parameters, _ operation: String) -> String? {
        if operation.hasSuffix("_rate"), let rate = wish.rate {
            return "the device has no rate of \(rate) Hz; nearest is \(nearest.rate)"
        }
        if operation.hasSuffix("_channels"), let channels = wish.channels {
            return "the device has no \(channels) channels; nearest is \(nearest.channels)"
        }
        return operation.hasSuffix("_format") ? "the device has no samples of 16 bits" : nil
    }

    /// Starts the hardware.
    public func start() throws(ALSAError) {
        try check(unsafe calsa_start(handle), "snd_pcm_start")
    }

    /// Blocks until there is something to read, or another descriptor (an eventfd) is readable.
    public func wait(orReadable descriptor: Int32) throws(ALSAError) -> PCMReadiness {
        var readiness = calsa_readiness()
        try check(unsafe calsa_wait(handle, descriptor, &readiness), "poll")
        return PCMReadiness(readiness)
    }

    /// Reads the available frames, at most the device's buffer. Never blocks.
    ///
    /// After an overrun (`EPIPE`), or after the machine has slept (`ESTRPIPE`), it starts the device again, and the next block states how
    /// much was lost.
    /// - Returns: nil if there was nothing to read, or if ``isAsleep``.
    public func read() throws(ALSAError) -> PCMBlock? {
        if let pendingRecovery { try recover(pendingRecovery) }
        guard pendingRecovery == nil else { return nil }
        var block = calsa_block()
        let capacity = samples.count / parameters.channels
        let errorNumber = unsafe calsa_read(handle, &samples, capacity, &block)
        if errorNumber == EPIPE || errorNumber == ESTRPIPE {
            interruptions &+= 1
            timeline.noteOverrun()
            try recover(errorNumber)
            return nil
        }
        try check(errorNumber, "snd_pcm_readi")
        return block.frames == 0 ? nil : made(block)
    }

    /// Whether the device has not woken yet after a sleep of the machine; ``read()`` tries again.
    public var isAsleep: Bool { pendingRecovery != nil }

    private func made(_ block: calsa_block) -> PCMBlock {
        let (position, lost) = timeline.place(block.frames, at: block.first_frame_nanoseconds)
        return PCMBlock(
            samples: Array(samples.prefix(block.frames * parameters.channels)),
            firstFrameNanoseconds: block.first_frame_nanoseconds, hasDriverStamp: block.is_driver_stamp,
            position: position, lostFrames: lost)
    }

    private func recover(_ errorNumber: Int32) throws(ALSAError) {
        let result = unsafe calsa_recover(handle, errorNumber)
        pendingRecovery = result == EAGAIN ? errorNumber : nil
        if result != EAGAIN { try check(result, errorNumber == EPIPE ? "snd_pcm_prepare" : "snd_pcm_resume") }
    }

    private func check(_ errorNumber: Int32, _ operation: String) throws(ALSAError) {
        try ALSAError.check(errorNumber, operation, device)
    }
}

extension calsa_wish {
    fileprivate init(_ wish: PCMRequest) {
        self.init(
            rate: UInt32(clamping: wish.rate ?? 0), preferred_rate: UInt32(PCMRequest.preferredRate),
            channels: UInt32(clamping: wish.channels ?? 0), preferred_channels: UInt32(PCMRequest.preferredChannels),
            period_microseconds: UInt32(clamping: wish.periodMicroseconds),
            buffer_microseconds: UInt32(clamping: wish.bufferMicroseconds))
    }
}
