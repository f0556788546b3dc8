package import CaptureModel
package import Catalogue
package import ShotLogic
package import StorageKit

/// An answer to a request: any number of `progress`, then exactly one other.
package enum RigAnswer: Sendable {
    /// - Parameter answerDue: When the answer comes at the latest; nil where nothing limits it.
    case progress(ShotProgress, Shot, predictedSpread: Duration?, answerDue: LocalTime?)
    case shot(ShotAnswer)
    case mark(SetMark)
    case deviceReply(DeviceReply)
    case devices([DeviceStatus])
    /// Those of the devices that were in the roster.
    case forgotten([DeviceID])
    case status(RigStatus)
    case shots(CatalogueListing)
    case verification(ShotID, [VerifyFinding])
    case unclaimedFiles([VerifyFinding])
    case events(EventPage)
    case annotation(ShotAnnotation)
    /// The request was not carried out, or it is not known whether it was; the problem says which.
    case refused(CaptureProblem)
}

/// A shot as a durable manifest has it.
package struct ShotAnswer: Sendable {
    package var shot: Shot
    /// What people have written about it; nil where they have not.
    package var annotation: ShotAnnotation?
    /// Devices of the roster that the selection means and that were left out, since their nodes do not configure them.
    package var notConfigured: [DeviceID] = []
    /// Where the shot lies inside the library.
    package var folder: String
    package var library: String
}

/// A part of the events that are held.
package struct EventPage: Sendable {
    /// In order of publication, those of earlier lives of the coordinator first.
    package var events: [FeedEvent]
    /// The newest sequence given out so far in this life; 0 where none.
    package var lastSequence: UInt64
    /// Whether events between the one asked after and the first one here are no longer held.
    package var isTruncated: Bool
}

/// How the whole rig stands.
package struct RigStatus: Sendable {
    package var rigClock: RigClockID
    package var now: RigTime
    /// Every node of the roster, in order of name.
    package var nodes: [NodeStatus]
    package var openShots: Int
    /// Takes under way, in order of id.
    package var takes: [OpenTake]
    /// How long after T a trigger that names no timeout is answered at the latest.
    package var triggerTimeout: Duration
    /// Bytes free to the library, as its disk has last told; nil where it refuses to.
    package var libraryFreeBytes: Int64?
    /// For how long the library's disk has not answered; nil where it does.
    package var librarySilence: Duration?
    /// Why the library cannot be used; nil where it can.
    package var libraryProblem: CaptureProblem?
}
