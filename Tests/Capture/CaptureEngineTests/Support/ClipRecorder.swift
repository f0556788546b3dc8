import CaptureModel
import CaptureTestSupport
import Movies
import PosixSupport

@testable import CaptureEngine

/// Keeps the clips that it is given, and writes a file for each; or fails.
final class ClipRecorder: ClipWriting {
    let written = Observed<[Clip]>([])
    let problem = Locked<CaptureProblem?>(nil)

    func write(_ clip: Clip, to folder: Folder, as name: String) throws(CaptureProblem) {
        do throws(PosixError) {
            try folder.write(clip.movie.frames.map(\.jpeg), to: name)
        } catch {
            throw CaptureProblem(.inputOutput, "\(error)")
        }
        if let problem = problem.withLock({ $0 }) { throw problem }
        written.change { $0.append(clip) }
    }
}
