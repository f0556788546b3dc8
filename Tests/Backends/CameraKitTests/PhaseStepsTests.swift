import Testing

@testable import CameraKit

@Suite("Moves of a camera's phase") struct PhaseStepsTests {
    private func steps(_ range: ClosedRange<Duration>, step: Duration = .microseconds(10)) -> PhaseSteps {
        PhaseSteps(step: step, range: range, settlingFrames: 0)
    }

    @Test func `A move is the nearest multiple of the step, in either direction`() {
        let steps = steps(.milliseconds(-5)...Duration.milliseconds(5))
        #expect(steps.move(toward: [.microseconds(1234)]) == .microseconds(1230))
        #expect(steps.move(toward: [.microseconds(-1236)]) == .microseconds(-1240))
        #expect(steps.move(toward: [.microseconds(4)]) == .zero && steps.move(toward: [.microseconds(-4)]) == .zero)
    }

    @Test func `A longer way takes several moves`() {
        let steps = steps(.milliseconds(-5)...Duration.milliseconds(5))
        #expect(steps.move(toward: [.milliseconds(12)]) == .milliseconds(5))
        #expect(steps.move(toward: [.milliseconds(-12)]) == .milliseconds(-5))
    }

    @Test func `Of several ways, the one with the fewest moves is taken, and of equal ones the shortest`() {
        #expect(
            steps(.milliseconds(-1)...Duration.milliseconds(10)).move(toward: [.milliseconds(-13), .milliseconds(20)])
                == .milliseconds(10))
        #expect(
            steps(.milliseconds(-20)...Duration.milliseconds(20)).move(toward: [.milliseconds(-13), .milliseconds(20)])
                == .milliseconds(-13))
    }

    @Test func `A direction in which nothing can be moved is not taken`() {
        #expect(
            steps(.zero...Duration.milliseconds(10)).move(toward: [.milliseconds(-1), .milliseconds(32)])
                == .milliseconds(10))
        #expect(steps(.zero...Duration.milliseconds(10)).move(toward: [.milliseconds(-1)]) == .zero)
        #expect(steps(.zero...Duration.zero).move(toward: [.milliseconds(1), .milliseconds(-1)]) == .zero)
    }

    @Test func `A step that a driver states as nothing is a nanosecond`() {
        let steps = steps(.milliseconds(-5)...Duration.milliseconds(5), step: .zero)
        #expect(steps.move(toward: [.nanoseconds(1_234_567)]) == .nanoseconds(1_234_567))
    }
}
