import CameraKit
import CaptureModel
import Foundation

/// One line of the probe's output.
struct ProbeLine: Codable {
    var event: String
    /// The only format of the driver that was asked for.
    var driverFormat: String?
    var format: VideoFormat?
    var hardware: CameraHardware?
    var sampleRange: SampleRange?
    var formats: [FormatOffer]?
    var sequence: UInt64?
    var midExposure: LocalTime?
    var boundNanoseconds: Int64?
    var stampOrigin: StampOrigin?
    var exposureNanoseconds: Int64?
    var dequeued: LocalTime?
    var isFlaggedErroneous: Bool?
    var byteCount: Int?
    var hash: String?
    var losses: FrameCounters?
    var code: String?
    var reason: String?
    /// A check of the conformance suite: `agreedFormat`.
    var check: String?
    var hasPassed: Bool?
    var nanoseconds: Int64?
    /// What to add to stamps, measured with a screen, and parts of its bound.
    var correctionNanoseconds: Int64?
    var fitNanoseconds: Int64?
    var jitterNanoseconds: Int64?
    /// How much later than the truth a mid-exposure is stated; of a correction, that of the median frame with it.
    var errorNanoseconds: Int64?

    init(_ event: String) {
        self.event = event
    }

    init(_ frame: CameraFrame) {
        event = "frame"
        sequence = frame.sequence
        midExposure = frame.midExposure
        boundNanoseconds = frame.stampBound.nanoseconds
        stampOrigin = frame.stampOrigin
        exposureNanoseconds = frame.exposure?.nanoseconds
        dequeued = frame.dequeued
        isFlaggedErroneous = frame.isFlaggedErroneous
        byteCount = frame.lease.byteCount
        hash = Self.hash(frame.lease)
    }

    init(_ event: String, _ error: CameraError?) {
        self.event = event
        code = error?.code.rawValue
        reason = error?.description
    }

    /// FNV-1a of the pixel data: tells whether two frames are the same, not more.
    static func hash(_ lease: FrameLease) -> String {
        let value = lease.bytes.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return String(value, radix: 16)
    }

    /// Writes the line at once, past any buffer, so that a reader can follow.
    func write() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try FileHandle.standardOutput.write(contentsOf: encoder.encode(self) + Data("\n".utf8))
    }
}
