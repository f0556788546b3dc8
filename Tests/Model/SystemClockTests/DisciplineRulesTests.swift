import CaptureModel
import Testing

@testable import SystemClock

@Suite struct DisciplineRulesTests {
    private static let grandmaster = "7acc9b.fffe.1234ab"
    private static let own = "86aa1b.fffe.56789a"

    private var follower: PTPStatus {
        PTPStatus(
            clock: Self.own, grandmaster: Self.grandmaster, isGrandmasterPresent: true, portStates: ["SLAVE"],
            stepsRemoved: 1, offset: -221, pathDelay: 2700)
    }

    private var master: PTPStatus {
        PTPStatus(
            clock: Self.own, grandmaster: Self.own, isGrandmasterPresent: false, portStates: ["MASTER"],
            stepsRemoved: 0, offset: 0, pathDelay: 0)
    }

    private var chrony: ChronyStatus? {
        ChronyStatus(
            ["C0A80001,192.168.0.1,2,1795566780.1,0.000002,-0.1,0.1,-3.2,0.001,0.02,0.000400,0.000100,64.2,Normal"])
    }

    private func commandLine(_ options: String) -> PHCCommandLine {
        PHCCommandLine(["phc2sys"] + options.split(separator: " ").map(String.init))
    }

    /// Evidence of a moment, with `CLOCK_REALTIME` as far ahead as stated, nanoseconds.
    private func evidence(
        at seconds: Int64, lead: Int64 = 1_800_000_000_000_000_000, later: Int64 = 0, programs: Set<ClockProgram>,
        isSynchronized: Bool? = true, isPTPInSoftware: Bool = false, phc2sys: [String] = ["-w -s eth0"],
        ptp: PTPStatus? = nil, chrony: ChronyStatus? = nil, error: Duration = .nanoseconds(30)
    ) -> DisciplineEvidence {
        func pair(_ instant: Int64, _ lead: Int64) -> BoundedClockPair {
            BoundedClockPair(
                pair: WallClockPair(
                    monotonic: LocalTime(nanoseconds: instant), realtimeNanoseconds: instant + lead), error: error)
        }
        let instant = seconds * 1_000_000_000
        return DisciplineEvidence(
            before: pair(instant, lead), after: pair(instant + 120_000_000, lead + later),
            isSynchronized: isSynchronized, programs: programs, isPTPInSoftware: isPTPInSoftware,
            phc2sys: programs.contains(.phc2sys) ? phc2sys.map(commandLine) : [], ptp: ptp, chrony: chrony)
    }

    /// What is said of the second of two equal moments.
    private func second(_ make: (Int64) -> DisciplineEvidence) -> DisciplinedClock<LocalTimeBase>? {
        var rules = DisciplineRules()
        #expect(rules.reading(from: make(1)) == nil, "nobody can tell whether the clock was stepped")
        return rules.reading(from: make(3))
    }

    @Test("Believes a follower of PTP to its offset and its path delay, and what phc2sys adds") func ptpFollower()
        throws
    {
        let hardware = try #require(second { evidence(at: $0, programs: [.ptp, .phc2sys], ptp: follower) })
        #expect(hardware.reference == ClockReference(source: .ptp, identity: Self.grandmaster))
        #expect(hardware.bound == .nanoseconds(221 + 2700 + 50_000 + 30))
        #expect(hardware.pair.monotonic == LocalTime(nanoseconds: 3_120_000_000))
        let software = try #require(
            second { evidence(at: $0, programs: [.ptp], isPTPInSoftware: true, ptp: follower) })
        #expect(software.bound == .nanoseconds(221 + 2700 + 1000 + 30))
    }

    @Test("Believes the grandmaster of PTP itself, whatever sets its clock") func ptpMaster() throws {
        let software = try #require(
            second {
                evidence(
                    at: $0, programs: [.ptp, .chrony], isSynchronized: false, isPTPInSoftware: true, ptp: master)
            })
        #expect(software.reference == ClockReference(source: .ptp, identity: Self.own))
        #expect(software.bound == .nanoseconds(1000 + 30))
        #expect(second { evidence(at: $0, programs: [.ptp, .phc2sys], ptp: master) } != nil)
        #expect(second { evidence(at: $0, programs: [.ptp], ptp: master) } == nil, "nothing links card and clock")
    }

    @Test(
        "Says why nothing links the card of PTP and the wall clock",
        arguments: [
            (["-w -s eth0"], nil, nil),
            (["-a -r"], nil, "phc2sys does not set the card of a grandmaster (-a with one -r)"),
            (["-a -rr"], nil, nil),
            (["-s CLOCK_REALTIME -c eth0 -O 37"], "phc2sys does not set CLOCK_REALTIME, but the card by it (-s)", nil),
            (
                ["-s eth0 -c eth1 -O 0"], "phc2sys does not set CLOCK_REALTIME (-c)",
                "phc2sys does not set CLOCK_REALTIME (-c)"
            ),
            (["-w -s eth0", "-w -s eth1"], "phc2sys runs more than once", "phc2sys runs more than once"),
            ([], "phc2sys does not run", "phc2sys does not run"),
        ] as [([String], String?, String?)])
    func card(lines: [String], doubtOfFollower: String?, doubtOfMaster: String?) {
        let programs: Set<ClockProgram> = lines.isEmpty ? [.ptp] : [.ptp, .phc2sys]
        for (status, doubt) in [(follower, doubtOfFollower), (master, doubtOfMaster)] {
            var rules = DisciplineRules()
            for second: Int64 in [1, 3] {
                let reading = rules.reading(
                    from: evidence(at: second, programs: programs, phc2sys: lines, ptp: status))
                #expect(rules.doubt == doubt)
                #expect(rules.believesPTP == (doubt == nil))
                #expect((reading != nil) == (doubt == nil && second == 3))
            }
        }
    }

    @Test("Has no doubts about phc2sys where ptp4l stamps in software, or neither follows nor is followed")
    func noCard() {
        var listening = follower
        listening.portStates = ["LISTENING"]
        var rules = DisciplineRules()
        _ = rules.reading(from: evidence(at: 1, programs: [.ptp], isPTPInSoftware: true, ptp: follower))
        #expect(rules.doubt == nil && rules.believesPTP)
        _ = rules.reading(from: evidence(at: 3, programs: [.ptp], ptp: listening))
        #expect(rules.doubt == nil && !rules.believesPTP)
    }

    @Test("Believes NTP where PTP is not believed, unless ptp4l sets the clock too") func ntpBesidePTP() {
        var listening = follower
        listening.portStates = ["LISTENING"]
        func source(_ status: PTPStatus?, isInSoftware: Bool) -> ClockReference.Source? {
            second {
                evidence(
                    at: $0, programs: [.ptp, .chrony], isPTPInSoftware: isInSoftware, ptp: status, chrony: chrony)
            }?.reference.source
        }
        #expect(source(listening, isInSoftware: false) == .ntp)
        #expect(source(listening, isInSoftware: true) == nil)
        #expect(source(nil, isInSoftware: false) == .ntp)
        #expect(source(nil, isInSoftware: true) == nil, "it may be a follower that does not answer")
        #expect(source(master, isInSoftware: true) == .ptp)
    }

    @Test("Counts the largest of the last four readings, and begins again with another grandmaster") func recent()
        throws
    {
        var rules = DisciplineRules()
        func bound(at second: Int64, offset: Double, of grandmaster: String = Self.grandmaster) -> Duration? {
            var status = follower
            (status.offset, status.grandmaster) = (offset, grandmaster)
            return rules.reading(
                from: evidence(at: second, programs: [.ptp], isPTPInSoftware: true, ptp: status))?.bound
        }
        let rest = Duration.nanoseconds(2700 + 1000 + 30)
        #expect(bound(at: 1, offset: 9000) == nil)
        // The first reading only cannot be believed.
        #expect(bound(at: 3, offset: 100) == rest + .nanoseconds(9000))
        #expect(bound(at: 5, offset: -5000) == rest + .nanoseconds(9000))
        #expect(bound(at: 7, offset: 10) == rest + .nanoseconds(9000))
        #expect(bound(at: 9, offset: 10) == rest + .nanoseconds(5000))
        #expect(bound(at: 11, offset: 10) == rest + .nanoseconds(5000))
        #expect(bound(at: 13, offset: 10) == rest + .nanoseconds(10))
        #expect(bound(at: 15, offset: 10) == rest + .nanoseconds(10))
        #expect(bound(at: 17, offset: 20, of: "0202fe.fffe.000001") == rest + .nanoseconds(20))
        #expect(bound(at: 19, offset: 0) == rest)
    }

    @Test("Says nothing of a follower whose master has not sent the time since the reading before") func stale() {
        var rules = DisciplineRules()
        func reading(at second: Int64, ingress: Int64) -> DisciplinedClock<LocalTimeBase>? {
            var status = follower
            status.ingress = ingress
            return rules.reading(
                from: evidence(at: second, programs: [.ptp], isPTPInSoftware: true, ptp: status))
        }
        #expect(reading(at: 1, ingress: 900) == nil)
        #expect(reading(at: 3, ingress: 2900) != nil)
        #expect(reading(at: 5, ingress: 2900) == nil)
        #expect(reading(at: 7, ingress: 6900) != nil)
    }

    @Test("Takes each clock on the way for as far from its master as this one") func steps() throws {
        var status = follower
        status.stepsRemoved = 3
        let reading = try #require(
            second { evidence(at: $0, programs: [.ptp], isPTPInSoftware: true, ptp: status) })
        #expect(reading.bound == .nanoseconds(3 * 2921 + 1000 + 30))
    }

    @Test("Says nothing of a follower of PTP in doubt", arguments: 0..<9)
    func ptpInDoubt(number: Int) {
        var status = follower
        var (programs, isSynchronized): (Set<ClockProgram>, Bool?) = ([.ptp], true)
        switch number {
        case 0: status.portStates = ["UNCALIBRATED"]
        case 1: status.isGrandmasterPresent = false
        case 2: status.grandmaster = "000000.0000.000000"
        case 3: status.pathDelay = 0
        case 4: status.stepsRemoved = 0
        case 5: isSynchronized = false
        case 6: isSynchronized = nil
        case 7: programs = [.ptp, .timesyncd]
        default: programs = []
        }
        #expect(
            second {
                evidence(
                    at: $0, programs: programs, isSynchronized: isSynchronized, isPTPInSoftware: true, ptp: status)
            } == nil)
    }

    @Test("Believes a follower of NTP to its root distance and what is being corrected") func ntp() throws {
        let reading = try #require(second { evidence(at: $0, programs: [.chrony], chrony: chrony) })
        #expect(reading.reference == ClockReference(source: .ntp, identity: "utc"))
        let bound = Duration.nanoseconds(2000 + 200_000 + 100_000 + 1000 + 30)
        #expect(reading.bound >= bound && reading.bound <= bound + .nanoseconds(1), "rounded up")
        // A service may see neither other programs nor the kernel's flag. chronyd has answered, so it runs.
        #expect(second { evidence(at: $0, programs: [], isSynchronized: nil, chrony: chrony) } != nil)
    }

    @Test("Says nothing of a follower of NTP in doubt", arguments: 0..<7)
    func ntpInDoubt(number: Int) {
        var status = chrony
        var (programs, isSynchronized): (Set<ClockProgram>, Bool?) = ([.chrony], true)
        switch number {
        case 0: status?.leap = "Not synchronised"
        case 1: status?.reference = "7F7F0101"
        case 2: status?.stratum = 16
        case 3: isSynchronized = false
        case 4: status?.stratum = 1
        case 5: status?.stratum = 11
        default: programs = [.chrony, .phc2sys]
        }
        #expect(
            second { evidence(at: $0, programs: programs, isSynchronized: isSynchronized, chrony: status) } == nil)
    }

    @Test("Says nothing after a step of the wall clock, and of one that was stepped while programs were asked")
    func steppedClock() {
        var rules = DisciplineRules()
        func reading(at second: Int64, lead: Int64, later: Int64 = 0) -> DisciplinedClock<LocalTimeBase>? {
            rules.reading(
                from: evidence(at: second, lead: lead, later: later, programs: [.chrony], chrony: chrony))
        }
        #expect(reading(at: 1, lead: 1_000_000) == nil)
        #expect(reading(at: 3, lead: 1_000_050) != nil, "the readings are exact to 60 ns")
        #expect(reading(at: 5, lead: 1_000_000 - 500_000_000) == nil)
        #expect(reading(at: 7, lead: 1_000_000 - 500_000_000) != nil)
        #expect(reading(at: 9, lead: 1_000_000 - 500_000_000, later: 5000) == nil)
        #expect(reading(at: 11, lead: 1_005_000 - 500_000_000) != nil)
    }

    @Test("Says nothing where both clocks cannot be read together, and survives every number") func extremes() {
        #expect(second { evidence(at: $0, programs: [.chrony], chrony: chrony, error: .microseconds(2)) } == nil)
        var rules = DisciplineRules()
        for lead in [Int64.min, .max, 0, -1] {
            let pair = BoundedClockPair(
                pair: WallClockPair(monotonic: LocalTime(nanoseconds: lead), realtimeNanoseconds: .min),
                error: .nanoseconds(Int64.max))
            _ = rules.reading(from: DisciplineEvidence(before: pair, after: pair))
        }
    }
}
