import Testing

@testable import CapctlCommands

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("250ms", Duration.milliseconds(250)), ("+250ms", .milliseconds(250)), ("-0.5s", .milliseconds(-500)),
        ("1.5s", .milliseconds(1500)), ("30us", .microseconds(30)), ("30µs", .microseconds(30)),
        ("10ns", .nanoseconds(10)), ("2min", .seconds(120)), ("10m", .seconds(600)), (".5s", .milliseconds(500)),
        ("0.000000001s", .nanoseconds(1)),
    ])
    func everyUnitIsTakenExactly(_ text: String, _ duration: Duration) {
        #expect(Duration(commandLine: text) == duration)
    }

    @Test(arguments: [
        "", "5", "s", "+", "--5s", "5 s", "5h", "1e3s", "1..5s", "0.5ns", "99999999999999999999s", "9223372037s", "५s",
    ])
    func whatIsNoDurationIsRefused(_ text: String) {
        #expect(Duration(commandLine: text) == nil)
    }

    @Test(arguments: [
        (Duration.microseconds(1234), "1.23 ms"), (.milliseconds(250), "250 ms"), (.seconds(75), "75.0 s"),
        (.zero, "0.00 ms"),
        (.microseconds(-40), "-0.04 ms"),
    ])
    func durationsReadShort(_ duration: Duration, _ text: String) {
        #expect(duration.shortText == text)
    }

    @Test func bytesReadShort() {
        #expect(Decimals.byteText(512) == "512 B")
        #expect(Decimals.byteText(1536) == "1.5 KiB")
        #expect(Decimals.byteText(.max) == "8192.0 PiB")
    }
}
