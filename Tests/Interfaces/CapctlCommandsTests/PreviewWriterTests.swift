import CaptureModel
import CaptureTestSupport
import Foundation
import RigWire
import Testing
import TurboJPEG

@testable import CapctlCommands
@testable import RigClient

@Suite(.timeLimit(.minutes(2))) struct PreviewWriterTests {
    private func frame(_ payload: [UInt8], _ orientation: Orientation = .degrees0) throws -> ReceivedFrame {
        let time = LocalTime(nanoseconds: 0)
        let header = FrameHeader(
            topic: FrameTopic(device: try DeviceID("n/c"), kind: .full), epoch: try #require(Epoch(rawValue: 1)),
            number: 1, sequence: 1, midExposure: time, stampBound: .zero, exposure: nil, dequeued: time,
            published: time, rig: nil, width: 8, height: 8, orientation: orientation, drops: OutputDrops())
        return ReceivedFrame(header: header, payload: payload, byteCount: payload.count, received: time)
    }

    @Test func `Pictures are written upright one after another, and those that cannot be decoded are left out`()
        async throws
    {
        let folder = try TemporaryFolder()
        let writer = try PreviewWriter(path: "\(folder.path)/out.mjpeg")
        var jpeg: [UInt8] = []
        let pixels = [UInt8](repeating: 90, count: 32 * 16)
        try JPEGEncoder().encode(
            pixels.span, as: .gray(bits: 8), width: 32, height: 16, quality: 85, into: &jpeg)
        #expect(try await writer.write(frame(jpeg)))
        #expect(try await !writer.write(frame([0xFF, 0xD8, 1, 2], .degrees90)))
        #expect(try folder.read("out.mjpeg") == jpeg)
        #expect(try await writer.write(frame(jpeg, .degrees90)))
        let turned = Array(try folder.read("out.mjpeg").dropFirst(jpeg.count))
        let header = try JPEGDecoder().header(of: turned)
        #expect((header.width, header.height) == (16, 32))
    }

    @Test func `Readers that do not read keep no other task from running, however many they are`() async throws {
        let payload = [UInt8](repeating: 7, count: 1 << 20)
        let frame = try frame(payload)
        let pipes = (0..<ProcessInfo.processInfo.activeProcessorCount + 2).map { _ in Pipe() }
        let writing = try pipes.map { pipe in
            let writer = try PreviewWriter(path: "/dev/fd/\(pipe.fileHandleForWriting.fileDescriptor)")
            return Task { try await writer.write(frame) }
        }
        // Each is in the middle of a write that does not end. The rest of this test needs a thread of the cooperative pool.
        for pipe in pipes { #expect(try pipe.fileHandleForReading.read(upToCount: 1)?.count == 1) }
        await Task {}.value
        for (pipe, task) in zip(pipes, writing) {
            try pipe.fileHandleForWriting.close()
            var rest = 1
            while rest < payload.count, let part = try pipe.fileHandleForReading.read(upToCount: 1 << 16) {
                rest += part.count
            }
            #expect(rest == payload.count)
            #expect(try await task.value)
        }
    }
}
