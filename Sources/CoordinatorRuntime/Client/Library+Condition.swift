import CaptureModel
import Library

extension Library {
    /// How much room it has, and whether it can be used.
    func condition() -> LibraryWatch.Answer {
        var answer = LibraryWatch.Answer(freeBytes: freeBytes())
        do throws(CaptureProblem) { try checkPlace() } catch { answer.problem = error }
        return answer
    }
}
