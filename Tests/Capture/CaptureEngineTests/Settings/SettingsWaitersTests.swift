import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// The calls that wait for a camera's settings.
@Suite(.timeLimit(.minutes(10))) struct SettingsWaitersTests {
    /// A camera's thread, as far as waiters are concerned.
    private actor Owner {
        private let waiters: SettingsWaiters
        private(set) var woken = 0
        private(set) var waiting = 0

        init(_ clock: ManualTimeSource) { waiters = SettingsWaiters(clock: clock) }

        func begin(_ id: SettingsID) -> Alarm { waiters.begin(id) }

        func ring() { waiters.ring() }

        func wake() { waiters.wake() }

        func waitForChange() async {
            waiting += 1
            await waiters.waitForChange()
            woken += 1
        }
    }

    private let owner = Owner(ManualTimeSource())

    private func id(_ number: UInt64) -> SettingsID {
        var generator = SeededGenerator(seed: number)
        return SettingsID(unixMilliseconds: 1_795_000_000_000, using: &generator)
    }

    @Test func `A frame wakes each call that carries out a commit, and none that waits for a change`() async {
        let alarms = [await owner.begin(id(1)), await owner.begin(id(2))]
        let changes = Task { await owner.waitForChange() }
        while await owner.waiting == 0 { await Task.yield() }
        await owner.ring()
        for alarm in alarms { await alarm.wait(until: nil) }
        #expect(await owner.woken == 0)
        await owner.wake()
        for alarm in alarms { await alarm.wait(until: nil) }
        await changes.value
        #expect(await owner.woken == 1)
    }
}
