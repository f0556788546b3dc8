import CaptureModel
import Testing

@testable import WebGateway

@Suite struct PicturePaceTests {
    private var pace = PicturePace(interval: .milliseconds(100))

    private func at(_ milliseconds: Int) -> LocalTime { LocalTime(nanoseconds: 0) + .milliseconds(milliseconds) }

    /// Sends each picture as soon as it is there and may go.
    private mutating func sent(_ arrivals: [Int]) -> [Int] {
        var (free, times): (LocalTime, [Int]) = (at(0), [])
        for arrival in arrivals {
            let time = max(at(arrival), free)
            times.append(Int((time - at(0)).nanoseconds / 1_000_000))
            free = pace.next(after: time)
        }
        return times
    }

    @Test
    mutating func
        `A camera of the page's rate is shown without waiting, though its pictures do not come quite in time`()
    {
        let arrivals = [0, 97, 203, 299, 380, 505, 598]
        #expect(sent(arrivals) == arrivals)
    }

    @Test mutating func `A late picture delays none after it`() {
        #expect(sent([0, 100, 260, 300, 400]) == [0, 100, 260, 300, 400])
    }

    @Test mutating func `A faster camera is shown at the page's rate`() {
        let times = sent(Array(stride(from: 0, to: 1000, by: 10)))
        #expect(times.last! - times.first! >= 99 * 100 - 25)
        for (first, second) in zip(times, times.dropFirst()) { #expect(second - first >= 75) }
    }

    @Test mutating func `A pause is not made up for`() {
        let times = sent([0, 1000, 1001, 1002])
        #expect(times == [0, 1000, 1075, 1175])
    }
}
