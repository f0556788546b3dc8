public import FaultPoints

/// Moments at which something of a recording has just reached the disk or the kernel.
public enum RecordingFault: String, ThreadFaultPoint {
    /// The lines of a fragment; its frames are not in the kernel's hands yet.
    case linesWritten = "recording.sidecar.written"
    case fragmentWritten = "recording.fragment.written"
    /// Sidecar and movie, as far as they were written.
    case fragmentsDurable = "recording.fragment.durable"
    /// All frames of a file, which is not finished.
    case fileEnded = "recording.file.ended"
    /// The packets are in the plain movie, which has its temporary name.
    case copied = "recording.finish.copied"
    case sidecarCut = "recording.finish.cut"
    /// The plain movie under its name, beside what it was made of.
    case finished = "recording.finish.durable"
    /// What it was made of is gone.
    case removed = "recording.finish.removed"
}

/// Where the work of an encoder waits.
public enum EncoderFault: String, TaskFaultPoint {
    /// The program is about to be started.
    case starting = "encoder.wait.start"
    /// It has ended; nothing of what it has made is durable.
    case ended = "encoder.wait.ended"
}
