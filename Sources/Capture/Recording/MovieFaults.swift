public import FaultPoints

/// Where the recording of a camera waits.
public enum MovieFault: String, TaskFaultPoint {
    /// Fired; the first frame at or after T is not there yet.
    case firstFrame = "movie.wait.firstFrame"
    /// A movie is durably owed; nothing of it is recorded.
    case owed = "movie.wait.owed"
    /// A frame is about to be written.
    case frame = "movie.wait.frame"
    /// The last frame is written; the movie is not finished.
    case ended = "movie.wait.ended"
    /// The movie is part of its capture; nobody has been told.
    case settled = "movie.wait.settled"
    /// What an earlier life left is about to be finished.
    case leftover = "movie.wait.leftover"
}
