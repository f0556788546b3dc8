import CameraKit
import CaptureModel
import PosixSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DeviceThreadTests {
    private typealias Channel = DeviceThread.Channel<Int>

    private let device = DeviceThread(name: "cam-test", device: "test")

    private func problem(_ reason: String) -> CameraError {
        CameraError(.failed, device: "test", operation: "open", reason: reason)
    }

    /// Starts a stream that runs until it is stopped, or until `ending` throws.
    private func start(
        until ending: @escaping @Sendable (Channel) throws(CameraError) -> Void = { _ in }
    ) async throws(CameraError) -> Channel {
        let stream: Channel = try await device.start(queueing: 2) { (channel: Channel, running) throws(CameraError) in
            running(channel)
            try ending(channel)
            while !channel.control.isStopping {
                channel.control.signal.wait(timeoutMilliseconds: -1)
                channel.control.signal.clear()
            }
        }
        return stream
    }

    private func stop(_ stream: Channel) async {
        stream.control.requestStop()
        await stream.control.waitUntilFinished()
    }

    @Test func `A device that streams is busy until the stream has ended`() async throws {
        let stream = try await start()
        let error = await #expect(throws: CameraError.self) { try await start() }
        #expect(error?.code == .busy)
        await stop(stream)
        #expect(stream.control.failure == nil)
        await stop(try await start())
    }

    @Test func `A device that cannot be opened is free again`() async throws {
        await #expect(throws: problem("is gone")) {
            let _: Channel = try await device.start(queueing: 2) { (_: Channel, _) throws(CameraError) in
                throw problem("is gone")
            }
        }
        await stop(try await start())
    }

    @Test func `Work that ends before the stream runs is a failure to start`() async throws {
        let error = await #expect(throws: CameraError.self) {
            let _: Channel = try await device.start(queueing: 2) { (_: Channel, _) in }
        }
        #expect(error?.code == .failed)
        await stop(try await start())
    }

    @Test func `A failure is told before the elements end, when the device is free`() async throws {
        let stream = try await start { [error = problem("broke")] channel throws(CameraError) in
            channel.queue.yield(1)
            throw error
        }
        var elements: [Int] = []
        for await element in stream.elements { elements.append(element) }
        #expect(elements == [1])
        #expect(stream.control.failure == problem("broke"))
        await stop(try await start())
    }
}
