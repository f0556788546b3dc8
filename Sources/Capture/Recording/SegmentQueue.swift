package import CaptureModel
import PosixSupport

/// The files of a recording on their way from its writer to its finisher, while the recording goes on: how many of them are
/// whole, and how large those are that are not in the spool yet. What waits is files on the disk, not this.
package struct SegmentQueue: Sendable {
    /// The number of the last file that is whole, whenever it has risen; ends when no further frame is written.
    package let closed: AsyncStream<Int>
    private let continuation: AsyncStream<Int>.Continuation
    private let byteCounts = Locked<[Int: Int64]>([:])

    init() {
        (closed, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Notes bytes that were written into a file.
    func add(_ byteCount: Int64, to segment: Int) {
        byteCounts.withLock { $0[segment, default: 0] += byteCount }
    }

    /// The files up to this one are whole.
    func close(through segment: Int) { continuation.yield(segment) }

    /// No further file is closed while the recording goes on.
    func finish() { continuation.finish() }

    /// The files before this one are in the spool, or given up.
    package func forget(before segment: SegmentNumber) {
        byteCounts.withLock { $0 = $0.filter { $0.key >= segment.value } }
    }

    /// Bytes of the files that are not in the spool.
    var byteCount: Int64 { byteCounts.withLock { $0.values.reduce(0, +) } }
}
