import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// Steers simulated cameras of 30 frames per second.
@Suite("Steering the phase of a camera") struct PhaseSteeringTests {
    /// Long enough for a camera to be aligned.
    private static let settled = Duration.seconds(4)

    /// The simulation rounds to nanoseconds.
    private func isNear(_ lateness: Duration?, _ expected: Duration) throws -> Bool {
        (try #require(lateness) - expected).magnitude < .microseconds(1)
    }

    @Test(arguments: [-100.0, -37, 0, 3, 100])
    func `A drifting camera is brought to the instants and kept within 60 µs of them`(ppm: Double) {
        var camera = SteeredCamera(phase: .milliseconds(-13), driftPPM: ppm)
        camera.run(for: Self.settled)
        #expect(camera.steering.condition.state == .aligned)
        let lateness = camera.run(for: .seconds(300))
        #expect(lateness.allSatisfy { $0.magnitude < .microseconds(60) })
        // On both sides, so that cameras that drift apart stay near to each other.
        #expect((lateness.reduce(.zero, +) / lateness.count).magnitude < .microseconds(15))
        #expect(camera.steering.condition.restarts == 0)
        #expect(camera.steering.condition.latenessNanoseconds.map { $0.magnitude < 60_000 } == true)
    }

    @Test func `A camera without drift is left alone once it is aligned`() {
        var camera = SteeredCamera(phase: .milliseconds(16))
        camera.run(for: Self.settled)
        let corrections = camera.steering.condition.corrections
        #expect((1...2).contains(corrections))
        camera.run(for: .seconds(300))
        #expect(camera.steering.condition.corrections == corrections)
    }

    @Test func `Jitter is not chased`() {
        var camera = SteeredCamera(phase: .milliseconds(9), driftPPM: 20, jitter: .milliseconds(1))
        camera.run(for: .seconds(30))
        let before = camera.steering.condition.corrections
        let lateness = camera.run(for: .seconds(300))
        #expect((lateness.reduce(.zero, +) / lateness.count).magnitude < .microseconds(250))
        // 20 ppm are 6 ms in this time. There are 1000 measurements.
        #expect(camera.steering.condition.corrections - before < 400)
    }

    @Test func `A step of the rig's time is followed, and taken for neither a drift nor a camera that ignores moves`() {
        var camera = SteeredCamera(phase: .milliseconds(2), driftPPM: 50)
        camera.run(for: .seconds(30))
        for step in [Duration.milliseconds(10), .milliseconds(-7), .milliseconds(16), .milliseconds(5)] {
            camera.rigOffset += step
            camera.run(for: .seconds(2))
            #expect(camera.steering.condition.state == .aligned, "\(step)")
            let lateness = camera.run(for: .seconds(10))
            #expect(lateness.allSatisfy { $0.magnitude < .microseconds(60) }, "\(step)")
        }
    }

    @Test func `A camera that ignores moves is given up, and its phase is still reported`() throws {
        var camera = SteeredCamera(phase: .milliseconds(5), driftPPM: 80)
        camera.obeys = false
        camera.run(for: .seconds(60))
        let condition = camera.steering.condition
        #expect(condition.state == .unmovable && condition.corrections == PhaseSteering.failureLimit)
        #expect(try #require(condition.reason).contains("stayed where they were"))
        let lateness = try #require(condition.lateness)
        #expect((lateness - camera.lateness).magnitude < .microseconds(50))
        // Another stream may obey.
        camera.obeys = true
        camera.reopen()
        camera.run(for: Self.settled)
        #expect(camera.steering.condition.state == .aligned)
    }

    @Test func `A camera that refuses moves is given up with its reason`() throws {
        var camera = SteeredCamera(phase: .milliseconds(5))
        camera.refusal = "the control is grabbed"
        camera.run(for: .seconds(60))
        let condition = camera.steering.condition
        #expect(condition.state == .unmovable && condition.corrections == 0)
        #expect(try #require(condition.reason).hasSuffix("the control is grabbed"))
        #expect(camera.actions == PhaseSteering.failureLimit)
    }

    @Test func `A camera whose frames can only be made longer is moved later, in as many steps as it takes`() {
        let steps = PhaseSteps(
            step: .microseconds(15), range: .zero...Duration.milliseconds(10), settlingFrames: 2)
        var camera = SteeredCamera(phase: .milliseconds(3), driftPPM: -40, control: .steps(steps))
        camera.run(for: .seconds(20))
        #expect(camera.moves.allSatisfy { $0 > .zero && $0 <= .milliseconds(10) })
        let lateness = camera.run(for: .seconds(60))
        #expect(lateness.allSatisfy { $0.magnitude < .microseconds(80) })
    }

    @Test
    func `A camera that only a restart moves is restarted until its phase fits, and again when it has drifted off`()
        throws
    {
        let request = AlignmentRequest(tolerance: .milliseconds(3), restartBudget: .seconds(120))
        var camera = SteeredCamera(phase: .milliseconds(12), driftPPM: 100, control: .restart, request: request)
        for _ in 0..<100 where camera.steering.condition.state != .aligned { camera.run(for: .seconds(1)) }
        let restarts = camera.steering.condition.restarts
        #expect(restarts > 0 && camera.lateness.magnitude < .milliseconds(4))
        #expect(camera.steering.condition.reason == nil)
        // 100 ppm take it 9 ms away.
        camera.run(for: .seconds(90))
        #expect(camera.steering.condition.restarts > restarts)
    }

    @Test func `Restarts end with their budget, and without one there are none`() throws {
        let request = AlignmentRequest(tolerance: .microseconds(10), restartBudget: .seconds(20))
        var camera = SteeredCamera(phase: .milliseconds(12), control: .restart, request: request)
        camera.run(for: .seconds(300))
        let spent = camera.steering.condition
        #expect(spent.state == .unmovable && (10...20).contains(spent.restarts))
        #expect(try #require(spent.reason).contains("\(spent.restarts) restarts"))
        #expect(spent.latenessNanoseconds != nil)

        var other = SteeredCamera(phase: .milliseconds(12), control: .restart)
        other.run(for: .seconds(60))
        #expect(other.actions == 0 && other.steering.condition.state == .unmovable)
        #expect(try #require(other.steering.condition.reason).contains("--restarts"))
        #expect(try isNear(other.steering.condition.lateness, .milliseconds(12)))
    }

    @Test func `A camera that nothing moves is reported with its phase and the reason`() throws {
        var camera = SteeredCamera(phase: .milliseconds(-4), control: .none("it plays a recording"))
        camera.run(for: Self.settled)
        let condition = camera.steering.condition
        #expect(condition.state == .unmovable && condition.reason == "it plays a recording" && camera.actions == 0)
        #expect(try isNear(condition.lateness, .milliseconds(-4)) && condition.bound == SteeredCamera.bound)
    }

    @Test func `Long moves and restarts wait for the end of captures, and small corrections do not`() throws {
        var camera = SteeredCamera(phase: .milliseconds(8), driftPPM: 100)
        camera.isFree = false
        camera.run(for: Self.settled)
        #expect(camera.actions == 0 && camera.steering.condition.state == .aligning)
        #expect(try #require(camera.steering.condition.reason).contains("captures are in progress"))
        camera.isFree = true
        camera.run(for: Self.settled)
        #expect(camera.steering.condition.state == .aligned)
        camera.isFree = false
        let lateness = camera.run(for: .seconds(30))
        #expect(lateness.allSatisfy { $0.magnitude < .microseconds(60) })

        let request = AlignmentRequest(restartBudget: .seconds(60))
        var other = SteeredCamera(phase: .milliseconds(8), control: .restart, request: request)
        other.isFree = false
        other.run(for: Self.settled)
        #expect(other.actions == 0)
    }

    @Test func `Without an estimate of rig time nothing is moved, and then it goes on`() {
        var camera = SteeredCamera(phase: .milliseconds(8))
        camera.isSynchronized = false
        camera.run(for: Self.settled)
        #expect(camera.actions == 0 && camera.steering.condition.reason == "its node has no clock estimate")
        #expect(camera.steering.condition.latenessNanoseconds == nil)
        camera.isSynchronized = true
        camera.run(for: Self.settled)
        #expect(camera.steering.condition.state == .aligned)
    }

    @Test func `A camera of another rate than its format states is not moved`() throws {
        var camera = SteeredCamera(phase: .zero, driftPPM: 40_000)
        camera.run(for: .seconds(10))
        #expect(camera.actions == 0 && camera.steering.condition.state == .unmovable)
        #expect(try #require(camera.steering.condition.reason).contains("another rate than its format states"))
    }

    @Test func `A closed camera is not aligned, and is aligned again when it streams`() {
        var camera = SteeredCamera(phase: .milliseconds(8))
        camera.run(for: Self.settled)
        camera.steering.closed()
        #expect(
            camera.steering.condition.state == .aligning && camera.steering.condition.reason == "it does not stream")
        #expect(camera.steering.condition.latenessNanoseconds == nil)
        camera.reopen()
        camera.run(for: Self.settled)
        #expect(camera.steering.condition.state == .aligned)
    }
}

/// A camera that is simulated frame by frame, and what steers it.
private struct SteeredCamera {
    static let interval = Duration.nanoseconds(33_333_333)
    static let bound = Duration.microseconds(40)
    static let steps = PhaseSteps(
        step: .nanoseconds(1), range: interval / -2...interval / 2, settlingFrames: 2)

    var steering: PhaseSteering
    /// Rig time minus the node's.
    var rigOffset = Duration.seconds(3600)
    var obeys = true
    var refusal: String?
    var isFree = true
    var isSynchronized = true
    /// What was asked of the camera.
    private(set) var actions = 0
    private(set) var moves: [Duration] = []
    private let control: PhaseControl
    private let driftPPM: Double
    private let jitter: Duration
    /// Where the next frame is exposed, on the node's clock, without jitter.
    private var next: Double
    /// The moves of the next frame and the one after it, in nanoseconds.
    private var coming: [Double] = [0, 0]
    private var generator = SeededGenerator(seed: 42)

    init(
        phase: Duration, driftPPM: Double = 0, jitter: Duration = .zero,
        control: PhaseControl = .steps(SteeredCamera.steps),
        request: AlignmentRequest = AlignmentRequest()
    ) {
        (self.control, self.driftPPM, self.jitter) = (control, driftPPM, jitter)
        next = 5e9 + Double(phase.nanoseconds)
        steering = PhaseSteering(request)
        steering.opened(control, interval: Self.interval, at: LocalTime(nanoseconds: 0))
    }

    private var now: LocalTime { LocalTime(nanoseconds: Int64(next)) }

    /// How late the next frame is.
    var lateness: Duration {
        PhaseGrid(interval: Self.interval).lateness(of: RigTime(nanoseconds: now.nanoseconds) + rigOffset)
    }

    /// Opens another stream, at another phase.
    mutating func reopen() {
        next += 1e9 + Double.random(in: 0..<33e6, using: &generator)
        coming = [0, 0]
        steering.opened(control, interval: Self.interval, at: now)
    }

    /// Exposes the frames of some time.
    /// - Returns: How late each was, without jitter.
    @discardableResult
    mutating func run(for duration: Duration) -> [Duration] {
        let end = now + duration
        var found: [Duration] = []
        while now < end {
            found.append(lateness)
            let deviation =
                jitter == .zero ? 0 : Int64.random(in: -jitter.nanoseconds...jitter.nanoseconds, using: &generator)
            let seen = now + .nanoseconds(deviation)
            let rig = BoundedRigTime(time: RigTime(nanoseconds: seen.nanoseconds) + rigOffset, bound: Self.bound)
            let action = steering.note(isSynchronized ? rig : nil, at: seen, isFree: isFree)
            next += 1e9 / 30 * (1 + driftPPM * 1e-6) + coming.removeFirst()
            coming.append(0)
            carryOut(action)
        }
        return found
    }

    private mutating func carryOut(_ action: PhaseSteering.Action?) {
        switch action {
        case nil: return
        case .restart:
            actions += 1
            steering.closed()
            reopen()
        case .shift(let shift):
            actions += 1
            if let refusal { return steering.refused(refusal, at: now) }
            moves.append(shift)
            if obeys { coming[0] += Double(shift.nanoseconds) }
            steering.moved(by: shift, at: now)
        }
    }
}
