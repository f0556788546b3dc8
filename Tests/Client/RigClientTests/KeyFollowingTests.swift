import CaptureModel
import Testing

@testable import RigClient

@Suite struct KeyFollowingTests {
    private func at(_ milliseconds: Int64) -> LocalTime { LocalTime(nanoseconds: milliseconds * 1_000_000) }

    @Test func `A client asks for a new key once at a time, and again a second after it has asked`() {
        var following = KeyFollowing(.memory)
        // At 5 s it still asks, until then.
        let first = [0, 5000].map { following.begins(at: at($0)) }
        following.ended(at: at(5000))
        let then = [5999, 6000].map { following.begins(at: at($0)) }
        #expect(first == [true, false] && then == [false, true])
    }

    @Test func `A client that asks for a key does not ask for one in turn`() {
        var following = KeyFollowing.never
        let asks = [0, 60_000].map { following.begins(at: at($0)) }
        #expect(asks == [false, false])
    }
}
