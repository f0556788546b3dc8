import Testing

@testable import SystemClock

@Suite struct PHCCommandLineTests {
    private func line(_ text: String) -> PHCCommandLine { PHCCommandLine(text.split(separator: " ").map(String.init)) }

    @Test("Finds the clocks of phc2sys among its other options") func options() {
        let manual = line("/usr/sbin/phc2sys -wms eth0 -cCLOCK_REALTIME -O -37 -S 0.1 --step_threshold 0.5 -f /a")
        #expect(manual.sources == ["eth0"] && manual.sinks == ["CLOCK_REALTIME"])
        #expect(!manual.isAutomatic && manual.realtimeCount == 0 && !manual.followsPulses && manual.servo == nil)
        let automatic = line("phc2sys -arr -z /run/a -n 0 -l6 -u 1")
        #expect(automatic.isAutomatic && automatic.realtimeCount == 2 && automatic.sources.isEmpty)
        #expect(line("phc2sys -i eth1 -d /dev/pps0").sources == ["eth1"])
        #expect(line("phc2sys -i eth1 -d /dev/pps0").followsPulses)
        #expect(line("phc2sys -E NTPSHM").servo == "ntpshm")
        #expect(line("phc2sys --clock_servo=nullf").servo == "nullf")
        // Values are not options.
        #expect(line("phc2sys -t a -m").isAutomatic == false)
        #expect(line("phc2sys --message_tag -a").isAutomatic == false)
    }

    @Test(
        "Keeps CLOCK_REALTIME and the card of a follower together",
        arguments: [
            ("-s eth0 -w", true), ("-s /dev/ptp0 -c CLOCK_REALTIME -O 0", true), ("-a -r", true), ("-a -rr", true),
            ("-ar -E linreg", true), ("-s eth0 -c eth1 -c CLOCK_REALTIME -w", true),
            ("-a", false), ("-s CLOCK_REALTIME -c eth0 -w", false), ("-s eth0 -c eth1 -w", false),
            ("-s CLOCK_REALTIME", false), ("-c CLOCK_REALTIME", false), ("-s eth0 -s eth1 -w", false),
            ("-s eth0 -d /dev/pps0 -w", false), ("-a -r -E ntpshm", false), ("-s", false), ("-r", false), ("", false),
        ])
    func follower(options: String, isKept: Bool) {
        #expect((line("phc2sys " + options).objection(isGrandmaster: false) == nil) == isKept)
    }

    @Test(
        "Keeps CLOCK_REALTIME and the card of a grandmaster together",
        arguments: [
            ("-a -rr", true), ("-a -r -r", true), ("-s CLOCK_REALTIME -c eth0 -w", true), ("-s eth0 -w", true),
            ("-a", false), ("-a -r", false), ("-s CLOCK_REALTIME", false), ("-s eth0 -c eth1 -w", false), ("", false),
            ("-s CLOCK_REALTIME -c CLOCK_REALTIME", false), ("-s eth0 -d /dev/pps0 -w", false),
        ])
    func grandmaster(options: String, isKept: Bool) {
        #expect((line("phc2sys " + options).objection(isGrandmaster: true) == nil) == isKept)
    }

    @Test("Knows nothing of a command line that it may not see") func hidden() {
        #expect(PHCCommandLine([]).objection(isGrandmaster: false) != nil)
        #expect(PHCCommandLine([]).objection(isGrandmaster: true) != nil)
    }
}
