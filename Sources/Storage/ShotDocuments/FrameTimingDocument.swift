public import CaptureModel

/// When the frame of a capture was exposed: `timing`.
public struct FrameTimingDocument: Codable, Sendable {
    var sequence: UInt64
    var localMidExposure: LocalTime
    var midExposure: BoundedRigTimeDocument
    var skewNanoseconds: Int64
    var exposureNanoseconds: Int64?
    var dequeued: RigTime

    private enum CodingKeys: String, CodingKey {
        case sequence = "sequence"
        case localMidExposure = "localMidExposure"
        case midExposure = "midExposure"
        case skewNanoseconds = "skewNanoseconds"
        case exposureNanoseconds = "exposureNanoseconds"
        case dequeued = "dequeued"
    }

    public init(_ value: FrameTiming) {
        sequence = value.sequence
        localMidExposure = value.localMidExposure
        midExposure = BoundedRigTimeDocument(value.midExposure)
        skewNanoseconds = value.skewNanoseconds
        exposureNanoseconds = value.exposureNanoseconds
        dequeued = value.dequeued
    }

    public var value: FrameTiming {
        FrameTiming(
            sequence: sequence, localMidExposure: localMidExposure, midExposure: midExposure.value,
            skewNanoseconds: skewNanoseconds, exposureNanoseconds: exposureNanoseconds, dequeued: dequeued)
    }
}

/// A rig time with its largest error.
struct BoundedRigTimeDocument: Codable, Sendable {
    var time: RigTime
    var boundNanoseconds: Int64

    private enum CodingKeys: String, CodingKey {
        case time = "time"
        case boundNanoseconds = "boundNanoseconds"
    }

    init(_ value: BoundedRigTime) {
        time = value.time
        boundNanoseconds = value.boundNanoseconds
    }

    var value: BoundedRigTime {
        BoundedRigTime(time: time, bound: .nanoseconds(boundNanoseconds))
    }
}

/// The time a camera's stream was away for a still: `streamGap`.
public struct StreamGapDocument: Codable, Sendable {
    var localStart: LocalTime
    var start: RigTime?
    var nanoseconds: Int64?

    private enum CodingKeys: String, CodingKey {
        case localStart = "localStart"
        case start = "start"
        case nanoseconds = "nanoseconds"
    }

    public init(_ value: StreamGap) {
        localStart = value.localStart
        start = value.start
        nanoseconds = value.nanoseconds
    }

    public var value: StreamGap {
        StreamGap(localStart: localStart, start: start, nanoseconds: nanoseconds)
    }
}
