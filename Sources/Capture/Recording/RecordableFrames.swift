package import CaptureModel
import PosixSupport

/// A frame on its way to the disk.
package struct RecordableFrame: Sendable {
    /// The driver's sequence number.
    package var sequence: UInt64
    /// Mid-exposure on the rig's time line.
    package var time: BoundedRigTime
    package var exposure: Duration?
    /// Gain in the units of the camera's control.
    package var gain: Int64?
    /// A whole image.
    package var jpeg: [UInt8]

    package init(sequence: UInt64, time: BoundedRigTime, exposure: Duration?, gain: Int64?, jpeg: [UInt8]) {
        self.sequence = sequence
        self.time = time
        self.exposure = exposure
        self.gain = gain
        self.jpeg = jpeg
    }
}

/// The frames of a recording on their way from its session to its writer: first in, first out, bounded by number and by bytes. What
/// does not fit is not taken, so that a disk that does not keep up costs frames, which are counted, and no memory.
package struct RecordableFrames: Sendable {
    /// At most so many wait: four seconds at 30 frames a second.
    package static let mostFrames = 120

    private let stream: AsyncStream<RecordableFrame>
    private let continuation: AsyncStream<RecordableFrame>.Continuation
    private let byteLimit: Int
    private let waitingBytes = Locked(0)

    /// - Parameter byteLimit: Bytes of pictures that may wait, at most; one picture may always.
    package init(byteLimit: Int) {
        self.byteLimit = byteLimit
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostFrames))
    }

    /// Hands a frame on.
    /// - Returns: Whether it was taken.
    package func offer(_ frame: RecordableFrame) -> Bool {
        let count = frame.jpeg.count
        let fits = waitingBytes.withLock { waiting in
            guard waiting == 0 || waiting + count <= byteLimit else { return false }
            waiting += count
            return true
        }
        guard fits else { return false }
        guard case .enqueued = continuation.yield(frame) else {
            leave(count)
            return false
        }
        return true
    }

    /// No further frame comes.
    package func finish() { continuation.finish() }

    /// Calls `body` with each frame until there is none, or it returns something.
    package func forEach<Failure: Error, Result>(
        _ body: (RecordableFrame) async throws(Failure) -> Result?
    ) async throws(Failure) -> Result? {
        for await frame in stream {
            leave(frame.jpeg.count)
            if let result = try await body(frame) { return result }
        }
        return nil
    }

    private func leave(_ count: Int) { waitingBytes.withLock { $0 -= count } }
}
