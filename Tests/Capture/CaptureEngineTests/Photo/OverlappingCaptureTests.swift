import CameraKit
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Spool
import Testing
import VirtualDevices

/// Sixteen shots at four per second with four cameras, all under way at once: begun four a second, for instants four
/// seconds later.
@Suite(.timeLimit(.minutes(2))) struct OverlappingCaptureTests {
    private let clock = ManualTimeSource()
    private let stages: [Stage]

    init() throws {
        let clock = clock
        stages = try (1...4).map { number in
            try Stage(policy: SessionPolicy(ringDepth: .seconds(1)), clock: clock, device: "north/cam\(number)") {
                $0.number = UInt16(number)
                $0.phaseMilliseconds = Double(number) * 7
                $0.seed = UInt64(number)
                $0.jitterMilliseconds = 3
            }
        }
    }

    /// Lets time pass for all cameras in steps of a millisecond.
    private func pass(_ duration: Duration) async {
        let end = clock.now() + duration
        while clock.now() < end {
            clock.advance(by: .milliseconds(1))
            for stage in stages { await stage.settle() }
        }
    }

    private func running(_ stages: ArraySlice<Stage>, _ body: () async throws -> Void) async throws {
        guard let stage = stages.first else { return try await body() }
        try await stage.run { try await running(stages.dropFirst(), body) }
    }

    @Test("Of sixteen overlapping captures of four cameras, one has no life cycle, two, or one out of order")
    func oneLifeCycleEach() async throws {
        try await running(stages[...]) {
            await pass(.milliseconds(300))
            var captures: [(events: CaptureEvents, stage: Stage)] = []
            for shot in 0..<16 {
                for stage in stages {
                    let order = stage.order(stage.now + .milliseconds(4200), shot: Int64(shot))
                    captures.append((try await stage.session.capturePhoto(order), stage))
                }
                await pass(.milliseconds(250))
            }
            #expect(captures.allSatisfy { $0.stage.recorder.steps(of: $0.events.id).map(\.name).last == "willCapture" })
            await pass(.seconds(4))
            for (events, stage) in captures { try await expectOneLife(events, stage) }
            #expect(Set(captures.map(\.events.id)).count == 64)
        }
    }

    private func expectOneLife(_ events: CaptureEvents, _ stage: Stage) async throws {
        var steps: [LifeCycleStep] = []
        for await event in events {
            #expect(event.id == events.id)
            steps.append(event.step)
        }
        #expect(steps.map(\.name) == ["willBegin", "willCapture", "didCapture", "didFinishProcessing", "didFinish"])
        #expect(steps == stage.recorder.steps(of: events.id))
        #expect(await stage.spool.report(of: events.id) != nil)
    }
}
