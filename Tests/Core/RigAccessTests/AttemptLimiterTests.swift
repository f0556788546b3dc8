import CaptureModel
import RigAccess
import RigSecurity
import Testing

@Suite struct AttemptLimiterTests {
    private func at(_ seconds: Double) -> LocalTime { LocalTime(nanoseconds: Int64(seconds * 1e9)) }

    @Test func `A thousand guesses of one address are refused, and a right code of another works at once`() throws {
        var desk = Desk()
        let issued = try desk.invite("left-arm")
        let before = desk.registry
        var guesses = 0
        for attempt in 0..<1000 {
            do {
                let permit = try desk.limiter.attempt(from: IPAddress("192.0.2.66"), at: at(Double(attempt) / 1000))
                guesses += 1
                let token = JoinToken(using: &desk.generator)
                desk.refused(.unknownCode) {
                    _ = try $0.registry.redeem(token, for: Desk.key(666), permit: permit, at: $0.now)
                }
            } catch {
                #expect(error.code == .tooManyAttempts)
            }
        }
        #expect(guesses == 5)
        #expect(desk.registry == before)
        #expect(desk.limiter.refusedOfSource == 995)
        let permit = try desk.limiter.attempt(from: IPAddress("192.0.2.7"), at: at(1))
        #expect(
            try desk.registry.redeem(issued.token, for: Desk.key(1), permit: permit, at: desk.now).holder.role == .node)
    }

    @Test func `A refusal says how long to wait, and that is enough`() throws {
        var limiter = AttemptLimiter()
        for _ in 0..<5 { _ = try limiter.attempt(from: IPAddress("192.0.2.1"), at: at(100)) }
        let error = #expect(throws: AccessError.self) { try limiter.attempt(from: IPAddress("192.0.2.1"), at: at(103)) }
        let wait = try #require(error?.retryAfter)
        #expect(wait == .seconds(7))
        #expect(error?.description.contains("wait 7 s") == true)
        #expect(throws: AccessError.self) {
            try limiter.attempt(from: IPAddress("192.0.2.1"), at: at(103) + wait - .nanoseconds(1))
        }
        _ = try limiter.attempt(from: IPAddress("192.0.2.1"), at: at(103) + wait)
    }

    @Test func `A source gets one attempt in ten seconds in the long run`() throws {
        var limiter = AttemptLimiter()
        var permitted = 0
        for second in 0..<3600 where (try? limiter.attempt(from: nil, at: at(Double(second)))) != nil { permitted += 1 }
        #expect(permitted == 5 + 359)
    }

    @Test func `Right codes are given back, so that many machines join from one address`() throws {
        var limiter = AttemptLimiter()
        for _ in 0..<500 { limiter.giveBack(try limiter.attempt(from: IPAddress("192.0.2.1"), at: at(5))) }
        for _ in 0..<5 { _ = try limiter.attempt(from: IPAddress("192.0.2.1"), at: at(5)) }
        #expect(throws: AccessError.self) { try limiter.attempt(from: IPAddress("192.0.2.1"), at: at(5)) }
    }

    @Test func `Giving back more than was taken gains nothing`() throws {
        var limiter = AttemptLimiter()
        let permit = try limiter.attempt(from: IPAddress("192.0.2.1"), at: at(5))
        for _ in 0..<100 { limiter.giveBack(permit) }
        for _ in 0..<5 { _ = try limiter.attempt(from: IPAddress("192.0.2.1"), at: at(6)) }
        #expect(throws: AccessError.self) { try limiter.attempt(from: IPAddress("192.0.2.1"), at: at(6)) }
    }

    @Test func `The addresses of one IPv6 network count as one, and an embedded IPv4 address as itself`() throws {
        var limiter = AttemptLimiter()
        for host in 1...5 { _ = try limiter.attempt(from: IPAddress("2001:db8:0:1::\(host)"), at: at(0)) }
        #expect(throws: AccessError.self) { try limiter.attempt(from: IPAddress("2001:db8:0:1:ffff::9"), at: at(0)) }
        _ = try limiter.attempt(from: IPAddress("2001:db8:0:2::1"), at: at(0))
        #expect(AttemptLimiter.Source(IPAddress("::ffff:192.0.2.1")) == AttemptLimiter.Source(IPAddress("192.0.2.1")))
        #expect(AttemptLimiter.Source(nil) != AttemptLimiter.Source(IPAddress("0.0.0.1")))
    }

    @Test(arguments: [1, 100, 1000])
    func `While fewer than 1024 sources guess without pause, another machine is let through at once`(
        count: UInt32
    ) throws {
        var limiter = AttemptLimiter()
        for round in 0..<20 as Range<UInt32> {
            let time = at(Double(round) * 7)
            for source in 1...count { _ = try? limiter.attempt(from: .v4(source), at: time) }
            #expect(throws: Never.self) { try limiter.attempt(from: .v4(0x0A00_0000 + round), at: time) }
        }
    }

    @Test func `With any number of sources, attempts and memory stay bounded`() throws {
        var limiter = AttemptLimiter()
        var (permitted, most) = (0, 0)
        for round in 0..<10 {
            // Each source guesses as often as it can; nobody pauses.
            for source in 1...2000 as ClosedRange<UInt32> {
                while (try? limiter.attempt(from: .v4(source), at: at(Double(round) * 10))) != nil { permitted += 1 }
            }
            most = max(most, limiter.sourceCount)
        }
        #expect(permitted == 1024 * (5 + 9) + 64 * 10)
        #expect(most == AttemptLimiter.sourceLimit)
        #expect(limiter.refusedOverflow == 976 * 10)
    }

    @Test func `A machine beyond the limit of sources gets in by waiting, and the others are forgotten when they stop`()
        throws
    {
        var limiter = AttemptLimiter()
        for source in 1...1200 as ClosedRange<UInt32> { _ = try? limiter.attempt(from: .v4(source), at: at(0)) }
        let late = IPAddress.v4(0x0A00_0001)
        let error = #expect(throws: AccessError.self) { try limiter.attempt(from: late, at: at(0)) }
        let wait = try #require(error?.retryAfter)
        #expect(wait == .microseconds(62_500))
        _ = try limiter.attempt(from: late, at: at(0) + wait)
        _ = try limiter.attempt(from: late, at: at(11))
        #expect(limiter.sourceCount == 1)
    }
}
