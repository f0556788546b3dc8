import CaptureModel
import Testing

@testable import WebGateway

@Suite struct BridgeElectionTests {
    private static let start = LocalTime(nanoseconds: 1_000_000_000_000)

    private func at(_ seconds: Double) -> LocalTime { Self.start + .seconds(seconds) }

    /// A gateway whose grace is one second.
    private func gateway() -> BridgeElection { BridgeElection(at: Self.start, fraction: 0.5) }

    private func standby() -> BridgeElection {
        var gateway = gateway()
        #expect(gateway.next(at: at(0)) == .connect(.standby))
        gateway.connected(at: at(0))
        return gateway
    }

    private func owner() -> BridgeElection {
        var gateway = standby()
        #expect(gateway.next(at: at(1)) == .connect(.owner))
        gateway.connected(at: at(1))
        return gateway
    }

    @Test func `A gateway alone becomes the owner after its grace`() {
        var gateway = standby()
        #expect(gateway.next(at: at(0.9)) == nil)
        #expect(gateway.next(at: at(1)) == .connect(.owner))
        gateway.connected(at: at(1.1))
        #expect(gateway.state == .owner(since: at(1.1)))
        #expect(gateway.next(at: at(1000)) == nil)
    }

    @Test func `A gateway beside an owner stays a standby as long as it hears it`() {
        var gateway = standby()
        for beat in stride(from: 0.5, through: 600, by: 10) {
            gateway.heard(isOnline: true, at: at(beat))
            #expect(gateway.next(at: at(beat + 9)) == nil)
        }
    }

    @Test func `When the owner's will comes, a standby follows after its grace`() {
        var gateway = standby()
        gateway.heard(isOnline: true, at: at(0.1))
        gateway.heard(isOnline: false, at: at(5))
        #expect(gateway.next(at: at(5.9)) == nil)
        #expect(gateway.next(at: at(6)) == .connect(.owner))
    }

    @Test func `Another gateway that was faster is heard in time`() {
        var gateway = standby()
        gateway.heard(isOnline: true, at: at(0.1))
        gateway.heard(isOnline: false, at: at(5))
        gateway.heard(isOnline: true, at: at(5.6))
        #expect(gateway.next(at: at(20)) == nil)
    }

    @Test func `An owner that is silent, such as one that a broker remembers and that is gone, is replaced`() {
        var gateway = standby()
        gateway.heard(isOnline: true, at: at(0))
        #expect(gateway.next(at: at(34.9)) == nil)
        #expect(gateway.next(at: at(35)) == .connect(.owner))
    }

    @Test func `A replaced owner is a standby again at once, and does not replace the other`() {
        var gateway = owner()
        gateway.ended(isReplaced: true, at: at(100))
        #expect(gateway.next(at: at(100)) == .connect(.standby))
        gateway.connected(at: at(100))
        gateway.heard(isOnline: true, at: at(100.1))
        #expect(gateway.next(at: at(110)) == nil)
    }

    @Test func `Clients that replace each other do so ever more slowly`() {
        var (gateway, now, delays) = (gateway(), 0.0, [Double]())
        for _ in 0..<7 {
            let begun = now
            while gateway.next(at: at(now)) != .connect(.standby) { now += 0.25 }
            delays.append(now - begun)
            gateway.connected(at: at(now))
            now += 1
            #expect(gateway.next(at: at(now)) == .connect(.owner))
            gateway.connected(at: at(now))
            gateway.ended(isReplaced: true, at: at(now + 0.1))
            now += 0.1
        }
        #expect(delays.map { $0.rounded() } == [0, 1, 2, 4, 8, 16, 30])
    }

    @Test func `While the broker is away, attempts get rarer, up to half a minute`() {
        var (gateway, now, delays) = (gateway(), 0.0, [Double]())
        for _ in 0..<8 {
            let begun = now
            while gateway.next(at: at(now)) != .connect(.standby) { now += 0.25 }
            delays.append(now - begun)
            gateway.ended(isReplaced: false, at: at(now))
        }
        #expect(delays == [0, 1, 2, 4, 8, 16, 30, 30])
    }

    @Test func `An attempt without an answer is given up`() {
        var gateway = gateway()
        #expect(gateway.next(at: at(0)) == .connect(.standby))
        #expect(gateway.next(at: at(9.9)) == nil)
        #expect(gateway.next(at: at(10)) == .giveUp)
        // The end of the connection follows, and changes nothing.
        gateway.ended(isReplaced: false, at: at(10.1))
        #expect(gateway.state == .away(until: at(11)))
    }

    @Test func `After a long time as the owner the first attempt comes soon`() {
        var gateway = owner()
        gateway.ended(isReplaced: false, at: at(500))
        #expect(gateway.state == .away(until: at(501)))
    }

    @Test func `Graces lie between half a second and one and a half`() {
        for (fraction, grace) in [(0.0, 0.5), (1.0, 1.5)] {
            var gateway = BridgeElection(at: Self.start, fraction: fraction)
            _ = gateway.next(at: at(0))
            gateway.connected(at: at(0))
            #expect(gateway.next(at: at(grace - 0.01)) == nil)
            #expect(gateway.next(at: at(grace)) == .connect(.owner))
        }
    }
}
