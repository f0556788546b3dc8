import CaptureModel
import Testing

@testable import NodeCore

/// A membership and the instants it is told, as milliseconds since its start.
private struct Transcript {
    private static let start = LocalTime(nanoseconds: 5_000_000_000)
    private(set) var membership = Membership(at: Self.start)
    let first = Epoch.random()
    let second = Epoch.random()

    static func at(_ milliseconds: Int64) -> LocalTime { start + .milliseconds(milliseconds) }

    mutating func tick(_ milliseconds: Int64) -> Membership.Tick {
        membership.tick(at: Self.at(milliseconds))
    }

    mutating func welcome(_ epoch: Epoch, at milliseconds: Int64) {
        membership.welcomed(
            by: epoch, interval: .milliseconds(500), timeout: .seconds(2), at: Self.at(milliseconds))
    }

    mutating func heard(_ epoch: Epoch, at milliseconds: Int64) -> Bool {
        membership.heard(from: epoch, at: Self.at(milliseconds))
    }

    mutating func helloRequired(at milliseconds: Int64) {
        membership.helloRequired(at: Self.at(milliseconds))
    }

    mutating func refused(at milliseconds: Int64) {
        membership.refused(RigProblem(.conflict, "cloned card"), at: Self.at(milliseconds))
    }

    mutating func helloSent(at milliseconds: Int64) {
        membership.helloSent(at: Self.at(milliseconds))
    }

    mutating func connected(at milliseconds: Int64) {
        membership.connected(at: Self.at(milliseconds))
    }

    mutating func noticedLife() {
        membership.noticedLife()
    }

    var next: Duration { membership.nextTick - Self.start }
}

extension Membership.Tick {
    fileprivate static let nothing = Self(isUnreachable: false, action: nil)
    fileprivate static let hello = Self(isUnreachable: false, action: .hello)
    fileprivate static func heartbeat(_ number: UInt64) -> Self {
        Self(isUnreachable: false, action: .heartbeat(number))
    }
}

@Suite struct MembershipTests {
    @Test("Repeats a lost hello at intervals")
    func helloIsRepeated() {
        var transcript = Transcript()
        #expect(transcript.tick(0) == .hello)
        #expect(transcript.tick(1) == .nothing)
        #expect(transcript.next == .milliseconds(500))
        #expect(transcript.tick(499) == .nothing)
        #expect(transcript.tick(500) == .hello)
        #expect(transcript.tick(1000) == .hello)
        #expect(transcript.tick(1001) == .nothing)
        #expect(transcript.membership.coordinator == nil)
    }

    @Test("Sends numbered heartbeats")
    func heartbeats() {
        var transcript = Transcript()
        _ = transcript.tick(0)
        transcript.welcome(transcript.first, at: 20)
        #expect(transcript.membership.coordinator == transcript.first)
        #expect(transcript.tick(20) == .heartbeat(1))
        #expect(transcript.tick(300) == .nothing)
        #expect(transcript.tick(520) == .heartbeat(2))
        #expect(transcript.tick(1020) == .heartbeat(3))
    }

    @Test("Gives up a coordinator that has gone")
    func silence() {
        var transcript = Transcript()
        transcript.welcome(transcript.first, at: 0)
        _ = transcript.tick(0)
        #expect(transcript.heard(transcript.first, at: 700) == true)
        #expect(transcript.tick(2699).isUnreachable == false)
        #expect(transcript.next == .milliseconds(2700))
        #expect(transcript.tick(2700) == Membership.Tick(isUnreachable: true, isSilent: true, action: .hello))
        #expect(transcript.membership.coordinator == nil)
        #expect(transcript.tick(3200) == .hello, "and it asks on")
        #expect(transcript.heard(transcript.first, at: 3300) == false, "a message alone makes no member")
    }

    @Test("Replaces a connection that carries no hellos")
    func silentConnection() {
        var transcript = Transcript()
        for milliseconds in stride(from: Int64(0), to: 2000, by: 500) {
            #expect(transcript.tick(milliseconds) == .hello)
            transcript.helloSent(at: milliseconds)
        }
        #expect(transcript.tick(2000) == Membership.Tick(isUnreachable: true, isSilent: true, action: .hello))
        transcript.connected(at: 2010)
        #expect(transcript.tick(2010) == .hello, "and the new connection has to wait for its hello")
        transcript.helloSent(at: 2010)
        #expect(transcript.tick(4009).isSilent == false)
        #expect(transcript.tick(4010).isSilent, "and so may the next")
    }

    @Test("Keeps a connection whose hello is slow, refused or answered by another epoch")
    func answeredConnection() {
        var transcript = Transcript()
        _ = transcript.tick(0)
        #expect(transcript.tick(5000).isSilent == false, "nothing was sent yet")
        transcript.helloSent(at: 5000)
        transcript.noticedLife()
        transcript.refused(at: 5010)
        #expect(transcript.tick(8000).isSilent == false)
        transcript.connected(at: 8000)
        #expect(transcript.tick(8000) == .nothing, "a node that is refused has to wait")
        #expect(transcript.tick(8010) == .hello)
        transcript.helloSent(at: 8010)
        transcript.welcome(transcript.first, at: 8020)
        transcript.noticedLife()
        transcript.helloSent(at: 8020)
        #expect(transcript.tick(10_019).isSilent == false)
    }

    @Test("Joins a restarted coordinator at once")
    func helloRequired() {
        var transcript = Transcript()
        transcript.welcome(transcript.first, at: 0)
        _ = transcript.tick(0)
        transcript.helloRequired(at: 100)
        #expect(transcript.tick(100) == .hello)
        transcript.helloRequired(at: 101)
        #expect(transcript.tick(101) == .nothing, "a flood of requests is not a flood of hellos")
        transcript.welcome(transcript.second, at: 150)
        #expect(transcript.membership.coordinator == transcript.second)
        #expect(transcript.tick(150) == .heartbeat(2))
    }

    @Test("Ignores messages of an earlier epoch of the coordinator")
    func oldEpoch() {
        var transcript = Transcript()
        #expect(transcript.heard(transcript.first, at: 0) == false)
        transcript.welcome(transcript.second, at: 0)
        #expect(transcript.heard(transcript.first, at: 1900) == false)
        #expect(transcript.tick(2000).isUnreachable, "and it is not a sign of life")
    }

    @Test("Retries at intervals as the second of two nodes with one name")
    func refused() {
        var transcript = Transcript()
        _ = transcript.tick(0)
        transcript.refused(at: 10)
        #expect(transcript.membership.state == .refused(RigProblem(.conflict, "cloned card")))
        #expect(transcript.tick(500) == .nothing)
        transcript.helloRequired(at: 600)
        #expect(transcript.tick(600) == .nothing, "the request of an earlier hello changes nothing")
        #expect(transcript.tick(3010) == .hello)
        transcript.welcome(transcript.first, at: 3020)
        #expect(transcript.membership.coordinator == transcript.first)
    }

    @Test("Reports a silent coordinator once per silence")
    func neverThere() {
        var transcript = Transcript()
        _ = transcript.tick(0)
        #expect(transcript.tick(1999).isUnreachable == false)
        #expect(transcript.tick(2000).isUnreachable)
        #expect(transcript.tick(2500) == .hello, "told once")
        #expect(transcript.tick(60_000) == .hello)
        transcript.refused(at: 60_010)
        #expect(transcript.tick(63_010) == .hello, "who is refused was answered")
        #expect(transcript.tick(63_510) == .hello, "the answer may still come")
        #expect(transcript.tick(65_010).isUnreachable)
        transcript.welcome(transcript.first, at: 66_000)
        _ = transcript.tick(66_000)
        transcript.helloRequired(at: 67_000)
        #expect(transcript.tick(67_000) == .hello)
        #expect(transcript.tick(69_000).isUnreachable, "it is another silence")
    }

    @Test("Stops acting as a member after a refusal")
    func refusedMember() {
        var transcript = Transcript()
        transcript.welcome(transcript.first, at: 0)
        transcript.refused(at: 100)
        #expect(transcript.membership.coordinator == nil)
        #expect(transcript.heard(transcript.first, at: 110) == false)
    }
}
