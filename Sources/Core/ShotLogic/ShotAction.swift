public import CaptureModel

/// What the coordinator has to do for a shot. Every action may come again and must be idempotent at its receiver.
public enum ShotAction: Hashable, Sendable {
    /// Write and sync this manifest, then say `manifestDurable` or `manifestFailed`. At most one is outstanding.
    case writeManifest(Shot)
    /// Ask the node to arm these cameras.
    case prepare(NodeName, [DeviceID])
    /// Tell the node to choose frames, and of a take that was stopped, when its recordings end (``ShotMachine/toldStop``).
    /// Repeated while there is no report, and slowly while a file is owed.
    case fire(NodeName, [DeviceID])
    /// Tell the node that these cameras' pins are not wanted. Files in its spool stay.
    case cancel(NodeName, [DeviceID])
    /// Fetch the file into the library, then say `stored` or `storingFailed`. Repeated when the node connects.
    case collect(FileKey, byteCount: Int64, digest: ContentDigest)
    /// The file's outcome is durable: the node may delete its copy. Lost where the node is not connected; its next
    /// inventory brings it again.
    case release(FileKey, ContentDigest)
    /// That the file failed is durable: the node need not tell it any more. As with `release`, one that is lost comes again.
    case forget(FileKey)
    /// For the client that waits.
    case progress(ShotProgress)
    /// The client's answer; once.
    case answer(Shot)
    /// The client's timeout has passed and no manifest is durable: whoever waits is told why its fate is not known; once.
    case giveUp(CaptureProblem)
    /// Of a take: the client's timeout has passed before it had begun, and this is durable of it; once.
    case overdue(Shot)
    /// Of a take: every camera records, or has said that it does not, and a durable manifest says so; once.
    case began(Shot)
    /// Of a take: it ends at this instant; once, before any node hears of it.
    case stopped(RigTime)
    /// Of a take: a mark is set, and a durable manifest says so; once.
    case marked(TakeMark)
    /// A durable revision of a settled shot: the first, and one for each late improvement.
    case settled(Shot)
    /// A node contradicts itself; to be logged.
    case warn(CaptureKey, CaptureProblem)
}
