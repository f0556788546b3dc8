import CameraConformance

/// A way to break the promises of a camera; one or more for each check.
enum Flaw: CaseIterable, Sendable {
    case otherFormat, halfFrames, sameSequence, futureStamps, hiddenLosses, forgottenLosses, longQueue, changingLease
    case sharedStart, failureAfterStop, failureOfSecondStop, startsOnce, keptByConsumer, keptByStart, keptByStream
    case bluntRefusal, otherRefusal, keptByRefusal, emptyOffer, otherOffer, silentWhileStreaming, forbidden, anyControl
    case oneStreamAtATime, anyStream, otherFirst, sharedStreams, stopsTheOther

    /// The check that must find it.
    var check: ConformanceCheck {
        switch self {
        case .otherFormat: .agreedFormat
        case .halfFrames: .wholeFrames
        case .sameSequence, .futureStamps: .orderedFrames
        case .hiddenLosses: .countedLosses
        case .forgottenLosses: .risingLosses
        case .longQueue: .slowConsumer
        case .changingLease: .leaseOutlivesStream
        case .sharedStart: .busyWhileStreaming
        case .failureAfterStop: .stopEndsFrames
        case .failureOfSecondStop: .stopTogether
        case .startsOnce: .restart
        case .keptByConsumer: .cancelledConsumer
        case .keptByStart: .cancelledStart
        case .keptByStream: .droppedStream
        case .bluntRefusal, .otherRefusal: .unsupportedFormat
        case .keptByRefusal: .startAfterRefusal
        case .emptyOffer, .otherOffer: .capabilities
        case .silentWhileStreaming: .capabilitiesWhileStreaming
        case .forbidden: .authorization
        case .anyControl: .controls
        case .oneStreamAtATime, .anyStream, .otherFirst, .sharedStreams: .streams
        case .stopsTheOther: .pair
        }
    }
}
