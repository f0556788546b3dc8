import CaptureModel
import StorageKit

extension ShotLibrary {
    /// How much room it has, and whether it can be used.
    func condition() async -> LibraryWatch.Answer {
        var answer = LibraryWatch.Answer(freeBytes: await freeBytes())
        do throws(CaptureProblem) { try await checkPlace() } catch { answer.problem = error }
        return answer
    }
}
