import Testing

@testable import SystemClock

private let tracking =
    "A29FC801,162.159.200.1,3,1795566780.123456789,-0.000000193,0.000012,0.000150,-3.245,0.001,0.021,"
    + "0.012643,0.000891,64.3,Normal\n"

private let follower = """
    sending: GET DEFAULT_DATA_SET
    sending: GET CURRENT_DATA_SET
    sending: GET TIME_STATUS_NP
    sending: GET PORT_DATA_SET
    \t5a1f2e.fffe.6c4d02-0 seq 0 RESPONSE MANAGEMENT DEFAULT_DATA_SET\u{20}
    \t\ttwoStepFlag             1
    \t\tslaveOnly               1
    \t\tnumberPorts             1
    \t\tpriority1               128
    \t\tclockClass              255
    \t\tclockAccuracy           0xfe
    \t\toffsetScaledLogVariance 0xffff
    \t\tpriority2               128
    \t\tclockIdentity           5a1f2e.fffe.6c4d02
    \t\tdomainNumber            0
    \t5a1f2e.fffe.6c4d02-0 seq 1 RESPONSE MANAGEMENT CURRENT_DATA_SET\u{20}
    \t\tstepsRemoved     1
    \t\toffsetFromMaster -221.0
    \t\tmeanPathDelay    2716.0
    \t5a1f2e.fffe.6c4d02-0 seq 2 RESPONSE MANAGEMENT TIME_STATUS_NP\u{20}
    \t\tmaster_offset              -221
    \t\tingress_time               1795566780123456789
    \t\tcumulativeScaledRateOffset +0.000000000
    \t\tscaledLastGmPhaseChange    0
    \t\tgmTimeBaseIndicator        0
    \t\tlastGmPhaseChange          0x0000'0000000000000000.0000
    \t\tgmPresent                  true
    \t\tgmIdentity                 22d0a9.fffe.8b7c01
    \t5a1f2e.fffe.6c4d02-1 seq 3 RESPONSE MANAGEMENT PORT_DATA_SET\u{20}
    \t\tportIdentity            5a1f2e.fffe.6c4d02-1
    \t\tportState               SLAVE
    \t\tlogMinDelayReqInterval  0
    \t\tpeerMeanPathDelay       0
    \t\tlogAnnounceInterval     1
    \t\tannounceReceiptTimeout  3
    \t\tlogSyncInterval         0
    \t\tdelayMechanism          1
    \t\tlogMinPdelayReqInterval 0
    \t\tversionNumber           2

    """

/// Recorded of linuxptp 3.1.1 in Debian 12, between network namespaces: a grandmaster.
private let master = """
    sending: GET DEFAULT_DATA_SET
    sending: GET CURRENT_DATA_SET
    \tfa52f0.fffe.c69ab6-0 seq 0 RESPONSE MANAGEMENT DEFAULT_DATA_SET\u{20}
    \t\ttwoStepFlag             1
    \t\tslaveOnly               0
    \t\tnumberPorts             1
    \t\tpriority1               10
    \t\tclockClass              248
    \t\tclockAccuracy           0xfe
    \t\toffsetScaledLogVariance 0xffff
    \t\tpriority2               128
    \t\tclockIdentity           fa52f0.fffe.c69ab6
    \t\tdomainNumber            0
    sending: GET TIME_STATUS_NP
    \tfa52f0.fffe.c69ab6-0 seq 1 RESPONSE MANAGEMENT CURRENT_DATA_SET\u{20}
    \t\tstepsRemoved     0
    \t\toffsetFromMaster 0.0
    \t\tmeanPathDelay    0.0
    sending: GET PORT_DATA_SET
    \tfa52f0.fffe.c69ab6-0 seq 2 RESPONSE MANAGEMENT TIME_STATUS_NP\u{20}
    \t\tmaster_offset              0
    \t\tingress_time               0
    \t\tcumulativeScaledRateOffset +0.000000000
    \t\tscaledLastGmPhaseChange    0
    \t\tgmTimeBaseIndicator        0
    \t\tlastGmPhaseChange          0x0000'0000000000000000.0000
    \t\tgmPresent                  false
    \t\tgmIdentity                 fa52f0.fffe.c69ab6
    \tfa52f0.fffe.c69ab6-1 seq 3 RESPONSE MANAGEMENT PORT_DATA_SET\u{20}
    \t\tportIdentity            fa52f0.fffe.c69ab6-1
    \t\tportState               MASTER
    \t\tlogMinDelayReqInterval  -3
    \t\tpeerMeanPathDelay       0
    \t\tlogAnnounceInterval     -2
    \t\tannounceReceiptTimeout  3
    \t\tlogSyncInterval         -3
    \t\tdelayMechanism          1
    \t\tlogMinPdelayReqInterval 0
    \t\tversionNumber           2

    """

/// And its follower, before it is in step.
private let calibrating = """
    sending: GET DEFAULT_DATA_SET
    sending: GET CURRENT_DATA_SET
    \tf60949.fffe.15b986-0 seq 0 RESPONSE MANAGEMENT DEFAULT_DATA_SET\u{20}
    \t\ttwoStepFlag             1
    \t\tslaveOnly               1
    \t\tnumberPorts             1
    \t\tpriority1               128
    \t\tclockClass              255
    \t\tclockAccuracy           0xfe
    \t\toffsetScaledLogVariance 0xffff
    \t\tpriority2               128
    \t\tclockIdentity           f60949.fffe.15b986
    \t\tdomainNumber            0
    sending: GET TIME_STATUS_NP
    \tf60949.fffe.15b986-0 seq 1 RESPONSE MANAGEMENT CURRENT_DATA_SET\u{20}
    \t\tstepsRemoved     1
    \t\toffsetFromMaster -35.0
    \t\tmeanPathDelay    2278.0
    sending: GET PORT_DATA_SET
    \tf60949.fffe.15b986-0 seq 2 RESPONSE MANAGEMENT TIME_STATUS_NP\u{20}
    \t\tmaster_offset              -35
    \t\tingress_time               1796077829298569113
    \t\tcumulativeScaledRateOffset +0.000000000
    \t\tscaledLastGmPhaseChange    0
    \t\tgmTimeBaseIndicator        0
    \t\tlastGmPhaseChange          0x0000'0000000000000000.0000
    \t\tgmPresent                  true
    \t\tgmIdentity                 fa52f0.fffe.c69ab6
    \tf60949.fffe.15b986-1 seq 3 RESPONSE MANAGEMENT PORT_DATA_SET\u{20}
    \t\tportIdentity            f60949.fffe.15b986-1
    \t\tportState               UNCALIBRATED
    \t\tlogMinDelayReqInterval  -3
    \t\tpeerMeanPathDelay       0
    \t\tlogAnnounceInterval     -2
    \t\tannounceReceiptTimeout  3
    \t\tlogSyncInterval         -3
    \t\tdelayMechanism          1
    \t\tlogMinPdelayReqInterval 0
    \t\tversionNumber           2

    """

/// What linuxptp and chrony print.
@Suite struct ProgramAnswerTests {
    private func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

    @Test("Reads a follower and a grandmaster of PTP") func ptp() throws {
        let status = try #require(PTPStatus(lines(follower)))
        #expect(
            status
                == PTPStatus(
                    clock: "5a1f2e.fffe.6c4d02", grandmaster: "22d0a9.fffe.8b7c01", isGrandmasterPresent: true,
                    portStates: ["SLAVE"], stepsRemoved: 1, offset: -221, pathDelay: 2716,
                    ingress: 1_795_566_780_123_456_789))
        #expect(status.isFollower && !status.isGrandmaster)
        let other = try #require(PTPStatus(lines(master)))
        #expect(other.clock == "fa52f0.fffe.c69ab6" && other.grandmaster == other.clock)
        #expect(other.isGrandmaster && !other.isFollower && other.stepsRemoved == 0)
        let third = try #require(PTPStatus(lines(calibrating)))
        #expect(third.grandmaster == other.clock && third.portStates == ["UNCALIBRATED"])
        #expect(!third.isGrandmaster && !third.isFollower)
        #expect(third.offset == -35 && third.pathDelay == 2278 && third.stepsRemoved == 1)
    }

    @Test("Takes the longest delay of peers, and the states of all ports") func ports() throws {
        let text =
            follower.replacing("peerMeanPathDelay       0", with: "peerMeanPathDelay       5100")
                + """
                \t5a1f2e.fffe.6c4d02-2 seq 3 RESPONSE MANAGEMENT PORT_DATA_SET\u{20}
                \t\tportIdentity            5a1f2e.fffe.6c4d02-2
                \t\tportState               MASTER
                \t\tpeerMeanPathDelay       4800

                """
        let status = try #require(PTPStatus(lines(text)))
        #expect(status.portStates == ["SLAVE", "MASTER"] && status.pathDelay == 5100)
        #expect(status.isFollower && !status.isGrandmaster)
    }

    @Test("Refuses answers that are incomplete, errors, repeated or numbers out of range", arguments: 0..<7)
    func ptpHostile(number: Int) {
        let text = follower
        let broken =
            switch number {
            case 0: text.replacing("gmIdentity ", with: "other ")
            case 1: text.replacing("RESPONSE MANAGEMENT TIME_STATUS_NP", with: "RESPONSE MANAGEMENT_ERROR_STATUS TIME")
            case 2: text + text
            case 3: text.replacing("offsetFromMaster -221.0", with: "offsetFromMaster nan")
            case 4: text.replacing("meanPathDelay    2716.0", with: "meanPathDelay    1e300")
            case 5: text.replacing("stepsRemoved     1", with: "stepsRemoved     99999999999999999999")
            default: ""
            }
        #expect(broken != text)
        #expect(PTPStatus(lines(broken)) == nil)
    }

    @Test(
        "Finds where ptp4l stamps, by its command line and its configuration",
        arguments: [
            (["ptp4l", "-i", "eth0", "-S", "-m"], nil, true),
            (["ptp4l", "-mSq", "-ieth0"], nil, true),
            (["ptp4l", "-i", "S", "-m"], nil, false),
            (
                ["ptp4l", "-f", "/etc/linuxptp/ptp4l.conf", "-s"],
                "[global]\n# time_stamping software\ntime_stamping\t\tsoftware\n", true
            ),
            (["ptp4l", "-f", "/etc/linuxptp/ptp4l.conf"], "[global]\ntime_stamping hardware\n", false),
            (["ptp4l", "-f", "/etc/linuxptp/ptp4l.conf", "-H"], "time_stamping software\n", false),
            (["ptp4l", "--time_stamping=software"], nil, true),
            (["ptp4l", "--time_stamping", "software"], nil, true),
            (["ptp4l", "--time_stamping"], nil, false),
            (["ptp4l", "-f"], nil, false),
            ([], nil, false),
        ] as [([String], String?, Bool)])
    func stamping(arguments: [String], configuration: String?, isInSoftware: Bool) {
        let line = PTPCommandLine(arguments)
        #expect(line.isInSoftware(configuration: configuration) == isInSoftware)
        #expect((line.configuration != nil) == arguments.contains("/etc/linuxptp/ptp4l.conf"))
    }

    @Test("Reads chronyd that follows a server, that follows nothing, and that is alone") func chrony() throws {
        let status = try #require(ChronyStatus(lines(tracking)))
        #expect(status.isInStep && status.stratum == 3)
        #expect((status.bound - (0.000000193 + 0.012643 / 2 + 0.000891)).magnitude < 1e-12)
        // Recorded of chrony 4.3 in Debian 12.
        let recorded = try #require(
            ChronyStatus(
                lines(
                    "7F000001,127.0.0.1,6,1796077828.632230984,-0.000000964,0.000000003,0.000000015,-0.005,0.000,0.020,"
                        + "0.000004470,0.000000897,0.3,Normal\n")))
        #expect(recorded.isInStep && recorded.stratum == 6)
        let lost = try #require(
            ChronyStatus(lines("00000000,,0,0.0,0.000000000,0.0,0.0,0.0,0.0,0.0,1.0,1.0,0.0,Not synchronised\n")))
        #expect(!lost.isInStep)
        let local = try #require(
            ChronyStatus(
                lines("7F7F0101,,10,1795566780.1,0.000000000,0.0,0.0,-0.2,0.0,0.0,0.0,0.0,0.0,Normal\n")))
        #expect(!local.isInStep)
    }

    @Test(
        "Refuses what is not chronyd's line",
        arguments: [
            "", "506 Cannot talk to daemon\n", "a,b\n", tracking + tracking,
            "C0A80001,x,2,1,nan,0,0,0,0,0,0.1,0.1,64,Normal\n", "C0A80001,x,2,1,0,0,0,0,0,0,-0.1,0.1,64,Normal\n",
            "C0A80001,x,2,1,0,0,0,0,0,0,inf,0.1,64,Normal\n", "C0A80001,x,two,1,0,0,0,0,0,0,0.1,0.1,64,Normal\n",
        ])
    func chronyHostile(text: String) {
        #expect(ChronyStatus(lines(text)) == nil)
    }
}
