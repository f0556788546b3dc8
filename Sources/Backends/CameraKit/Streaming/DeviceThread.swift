package import PosixSupport

/// Runs the streams of one device, one at a time, each on a separate thread that opens, reads and closes the device.
package final class DeviceThread: Sendable {
    private let name: String
    private let device: String
    private let signals: NamedThread.Signals
    private let isTaken = Locked(false)

    /// What a stream's thread and the rest of the process share.
    package struct Channel<Element: Sendable>: Sendable {
        package let control: StreamControl
        /// For the consumer.
        package let elements: AsyncStream<Element>
        /// For the thread.
        package let queue: AsyncStream<Element>.Continuation
    }

    /// The work of a stream's thread: opens the device, calls the function with the stream once, when it runs, and returns when a
    /// stop is requested. The device is closed when it returns or throws.
    package typealias Work<Element: Sendable, Stream: Sendable> =
        @Sendable (Channel<Element>, (Stream) -> Void) throws(CameraError) -> Void

    /// - Parameters:
    ///   - name: The name of the threads, such as `cam-front`.
    ///   - device: The device as people know it, for errors.
    ///   - signals: The signals that a thread receives.
    package init(name: String, device: String, signals: NamedThread.Signals = .inherited) {
        self.name = name
        self.device = device
        self.signals = signals
    }

    /// Takes the device, and returns the stream when it runs. The device is free again when the work has ended.
    ///
    /// - Parameter depth: Elements that may wait for a slow consumer before the oldest is dropped.
    /// - Throws: What the work throws before the stream runs; `busy` if the device streams already.
    package func start<Element: Sendable, Stream: Sendable>(
        queueing depth: Int, _ work: @escaping Work<Element, Stream>
    ) async throws(CameraError) -> Stream {
        guard isTaken.withLock({ $0.set() }) else {
            throw CameraError(
                .busy, device: device, operation: "start",
                reason: "this process is streaming from it already; stop that stream first")
        }
        let result = await withCheckedContinuation { started in
            startThread(depth, work) { started.resume(returning: $0) }
        }
        return try result.get()
    }

    private typealias Started<Stream: Sendable> = @Sendable (Result<Stream, CameraError>) -> Void

    /// Calls `started` exactly once: from the new thread, or at once if no thread can be created.
    private func startThread<Element: Sendable, Stream: Sendable>(
        _ depth: Int, _ work: @escaping Work<Element, Stream>, _ started: @escaping Started<Stream>
    ) {
        do throws(PosixError) {
            let control = try StreamControl()
            let (elements, queue) = AsyncStream.makeStream(
                of: Element.self, bufferingPolicy: .bufferingNewest(depth))
            let channel = Channel(control: control, elements: elements, queue: queue)
            let thread = try NamedThread(name: name, signals: signals) { [self] in run(channel, work, started) }
            control.adopt(thread)
        } catch {
            free()
            started(
                .failure(
                    CameraError(.failed, device: device, operation: error.operation, reason: error.description)))
        }
    }

    private func run<Element: Sendable, Stream: Sendable>(
        _ channel: Channel<Element>, _ work: Work<Element, Stream>, _ started: @escaping Started<Stream>
    ) {
        var isRunning = false
        var failure: CameraError?
        do throws(CameraError) {
            try work(channel) { stream in
                isRunning = true
                started(.success(stream))
            }
        } catch {
            failure = error
        }
        // The device is closed here. It is free before the end is reported, so that a waiting caller can start it again at once. The
        // failure is told before the elements end.
        free()
        if isRunning {
            channel.control.finish(failure)
        } else {
            started(.failure(failure ?? stoppedEarly))
        }
        channel.queue.finish()
    }

    private var stoppedEarly: CameraError {
        CameraError(.failed, device: device, operation: "start", reason: "it was stopped before it ran")
    }

    private func free() { isTaken.withLock { $0 = false } }
}

extension Bool {
    /// Makes it true.
    /// - Returns: Whether it was false.
    fileprivate mutating func set() -> Bool {
        defer { self = true }
        return !self
    }
}
