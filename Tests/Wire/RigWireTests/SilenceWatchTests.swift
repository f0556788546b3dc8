import CaptureModel
import RigWire
import Testing

@Suite struct SilenceWatchTests {
    private let start = LocalTime(nanoseconds: 5_000_000_000)

    private func at(_ milliseconds: Int64) -> LocalTime { start + .milliseconds(milliseconds) }

    @Test("A connection on which nothing was asked counts as silent")
    func unasked() {
        var watch = SilenceWatch(patience: RetryDelay(first: .seconds(2), last: .seconds(2)))
        #expect(watch.deadline == nil)
        #expect(watch.takeSilence(at: at(100_000)) == false)
    }

    @Test("Asking again puts off the notice of a silence, or a silence is told twice")
    func silent() {
        var watch = SilenceWatch(patience: RetryDelay(first: .seconds(2), last: .seconds(2)))
        watch.asked(at: at(0))
        watch.asked(at: at(1_500))
        #expect(watch.deadline == at(2_000))
        #expect(watch.takeSilence(at: at(1_999)) == false)
        #expect(watch.takeSilence(at: at(2_000)) == true)
        #expect(watch.takeSilence(at: at(9_000)) == false)
    }

    @Test("A connection that is heard of counts as silent")
    func heard() {
        var watch = SilenceWatch(patience: RetryDelay(first: .seconds(2), last: .seconds(2)))
        watch.asked(at: at(0))
        watch.heard()
        #expect(watch.takeSilence(at: at(3_000)) == false)
        watch.asked(at: at(3_000))
        #expect(watch.takeSilence(at: at(4_999)) == false)
        #expect(watch.takeSilence(at: at(5_000)) == true)
    }

    @Test(
        "A link too slow for the first patience never gets an answer, or a quick one is waited for as long as a slow one"
    )
    func morePatient() {
        var watch = SilenceWatch(patience: RetryDelay(first: .seconds(4), last: .seconds(60)))
        watch.asked(at: at(0))
        #expect(watch.takeSilence(at: at(4_000)) == true)
        watch.asked(at: at(4_000))
        #expect(watch.deadline == at(12_000))
        watch.heard(isAnswer: false)
        watch.asked(at: at(5_000))
        #expect(watch.deadline == at(13_000), "what was asked may still be on its way")
        watch.heard()
        watch.asked(at: at(6_000))
        #expect(watch.deadline == at(10_000))
    }
}
