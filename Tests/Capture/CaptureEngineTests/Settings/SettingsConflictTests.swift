import CaptureModel
import Testing

@testable import CaptureEngine

/// Which captures and transactions exclude each other.
@Suite(.timeLimit(.minutes(10))) struct SettingsConflictTests {
    private let first = SettingsID.sample(1)

    @Test(
        "A capture that sets the camera and a transaction exclude each other",
        arguments: [
            PhotoSettings(flash: .on), PhotoSettings(bracket: [BracketStep(gain: 3), BracketStep(gain: 9)]),
        ])
    func captures(settings: PhotoSettings) async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now + .milliseconds(500), shot: 1, settings: settings)
            _ = try await stage.session.arm(order).get()
            await expectProblem(.conflict, "flash or bracket") { _ = try await stage.prepare(first, "gain=6dB") }
            await expectProblem(.conflict) { _ = try await stage.session.setControls(["gain": 6]) }
            let firing = Task { await stage.session.fire(order.key) }
            await stage.pass(.milliseconds(450))
            await expectProblem(.conflict) { _ = try await stage.session.setControls(["gain": 6]) }
            await stage.pass(.milliseconds(1000))
            #expect(await firing.value.report != nil)
            #expect(try await stage.controls()["gain"] == 0)

            _ = try await stage.prepare(first, "gain=6dB")
            let later = stage.order(stage.now + .milliseconds(500), shot: 2, settings: settings)
            let problem = await stage.session.arm(later).failure
            #expect(problem?.code == .conflict && problem?.message.contains("\(first)") == true)
            await expectProblem(.conflict, "\(first)") { _ = try await stage.session.setControls(["gain": 1]) }
            _ = try await stage.commit(first)
            // The capture after it puts back the values that the transaction has set.
            let last = stage.order(stage.now + .milliseconds(500), shot: 3, settings: settings)
            _ = try await stage.session.arm(last).get()
            await expectProblem(.conflict) { try await stage.undo(first) }
            let taking = Task { await stage.session.fire(last.key) }
            await stage.pass(.milliseconds(1500))
            #expect(await taking.value.report != nil)
            #expect(try await stage.controls()["gain"] == 6)
        }
    }

    @Test("A still larger than the stream and a transaction exclude each other")
    func largerPhoto() async throws {
        let stage = try Stage.larger()
        try await stage.run {
            await stage.start()
            let order = stage.larger(in: .seconds(2))
            _ = try await stage.session.arm(order).get()
            await expectProblem(.conflict) { _ = try await stage.prepare(first, "gain=6dB") }
            #expect(await stage.fire(order).report != nil)
            _ = try await stage.prepare(first, "gain=6dB")
            #expect(await stage.session.arm(stage.larger(in: .seconds(2), shot: 2)).failure?.code == .conflict)
        }
    }

    @Test("Plain photos go on during a transaction, and are not delayed")
    func plainPhoto() async throws {
        let stage = try Stage(cameras: .slow)
        try await stage.run {
            await stage.start()
            _ = try await stage.prepare(first, "driver.integer_64_bits=7")
            let time = stage.now + .milliseconds(1300)
            let committing = Task(executorPreference: stage.executor) { try await stage.commit(first, at: time) }
            for (number, ahead) in [(1, 200), (2, 300)] {
                let order = stage.order(stage.now + .milliseconds(ahead), shot: Int64(number))
                _ = try await stage.session.arm(order).get()
                let firing = Task { await stage.session.fire(order.key) }
                await stage.pass(.milliseconds(ahead + 200))
                #expect(
                    await firing.value.report.map { abs($0.timing.skewNanoseconds) <= Stage.period.nanoseconds } == true
                )
            }
            await stage.pass(.seconds(3))
            #expect(try await committing.value.change.evidence == .calibrated)
        }
    }
}
