@testable import CaptureEngine

extension CaptureEvents {
    /// Every step up to the end of the capture.
    func steps() async -> [LifeCycleStep] {
        var steps: [LifeCycleStep] = []
        for await event in self { steps.append(event.step) }
        return steps
    }
}
