public import PosixSupport
public import Recording

/// Records the cameras of a node into movies, after AVFoundation's `AVCaptureMovieFileOutput`: what their sessions share.
public struct MovieFileOutput: Sendable {
    /// The thread that all recordings are written on.
    let writing: ThreadExecutor
    let finisher: MovieFinisher

    /// - Parameters:
    ///   - writing: The thread that frames are written on while they come.
    ///   - finisher: Finishes what was recorded.
    public init(writing: ThreadExecutor, finisher: MovieFinisher) {
        self.writing = writing
        self.finisher = finisher
    }
}
