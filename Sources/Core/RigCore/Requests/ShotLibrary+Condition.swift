import CaptureModel
package import StorageKit

extension ShotLibrary {
    /// How much room it has, and whether it can be used.
    package func condition() async -> LibraryWatch.Answer {
        var answer = LibraryWatch.Answer(freeBytes: await freeBytes())
        do throws(CaptureProblem) { try await checkPlace() } catch { answer.problem = error }
        return answer
    }
}
