import CameraKit
import PosixSupport

/// What a file camera and its streams share: who holds it, what was found in its files, and whether it is over.
final class FileDevice: Sendable {
    let path: String
    private let state = Locked(State())

    private struct State {
        var isHeld = false
        var hasEnded = false
        var index: RecordingIndex?
    }

    init(path: String) {
        self.path = path
    }

    /// What was found when the files were last read.
    var index: RecordingIndex? {
        get { state.withLock { $0.index } }
        set { state.withLock { $0.index = newValue } }
    }

    /// Takes the camera, which must be given back by ``release()``.
    func take() throws(CameraError) {
        let held = state.withLock { state in
            let before = state
            if !state.hasEnded { state.isHeld = true }
            return before
        }
        if held.isHeld { throw error(.busy, "open", "it is playing already; stop that stream first") }
        if held.hasEnded { throw ended("open") }
    }

    func release() {
        state.withLock { $0.isHeld = false }
    }

    /// From here on it cannot be started: played out is as good as unplugged.
    /// - Returns: Why its stream ends.
    func end() -> CameraError {
        state.withLock { $0.hasEnded = true }
        return ended("play")
    }

    private func ended(_ operation: String) -> CameraError {
        error(
            .absent, operation,
            "the recording has been played to its end; set `loop: true` to play it over and over, or start the program "
                + "again to play it once more")
    }

    func error(_ code: CameraError.Code, _ operation: String, _ reason: String) -> CameraError {
        CameraError(code, device: path, operation: operation, reason: reason)
    }

    func error(_ problem: RecordingProblem, _ operation: String) -> CameraError {
        error(problem.code, operation, problem.description)
    }
}
